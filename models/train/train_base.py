"""Knows how the base model is trained: AdamW, warm-up and cosine decay over generated samples, each seen about once.
Usage: python train_base.py --out ../hone-mini --size s6 --steps 9000 (see README.md for the commands used)"""
import argparse
import json
import math
import os
import shutil
import time

import numpy as np
import torch
import torch.nn.functional as F

import dataset
import model as net


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("--tokenizer", default=os.path.join(os.path.dirname(__file__), "..", "hone-mini"))
    a.add_argument("--data", default="", help="folder of samples made earlier by make_data.py")
    a.add_argument("--size", default="s6")
    a.add_argument("--start", default="", help="folder of weights to go on from")
    a.add_argument("--samples", type=int, default=3000000)
    a.add_argument("--steps", type=int, default=9000)
    a.add_argument("--seconds", type=float, default=1e9, help="end the schedule after this time, whatever the step")
    a.add_argument("--tokens", type=int, default=32768, help="padded tokens of one batch")
    a.add_argument("--accumulate", type=int, default=2)
    a.add_argument("--lr", type=float, default=3e-3)
    a.add_argument("--decay", type=float, default=0.1)
    a.add_argument("--given", type=float, default=0.1, help="weight of the loss on text the assistant did not write")
    a.add_argument("--drop", type=float, default=0.0, help="share of each layer's output that is dropped in training")
    a.add_argument("--compile", action="store_true")
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    torch.manual_seed(a.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    begun = time.time()
    if a.data:
        ids, lengths = np.load(os.path.join(a.data, "ids.npy")), np.load(os.path.join(a.data, "lengths.npy"))
        mask = dataset.learned(ids)
    else:
        ids, lengths, mask = dataset.make(os.path.join(a.tokenizer, "tokenizer.json"), a.samples, a.seed)
    print(f"{len(lengths)} samples, {len(ids)/1e6:.1f}M tokens, {mask.mean():.3f} learned, {time.time()-begun:.0f}s", flush=True)
    vocab = json.load(open(os.path.join(a.tokenizer, "tokenizer.json")))["model"]["vocab"]
    model = net.load(a.start, device) if a.start else net.Llama(net.config(a.size, len(vocab))).to(device)
    for layer in model.model.layers: layer.drop = a.drop
    count = sum(p.numel() for p in model.parameters())
    print(f"{count/1e6:.2f}M parameters", flush=True)

    flat = torch.from_numpy(np.concatenate([ids.astype(np.int16), np.zeros(4096, np.int16)])).to(device)
    given = np.where(ids == dataset.THINK, 0.0, a.given)  # whether to think is the prompt's choice, never the model's
    weight = torch.from_numpy(np.concatenate([np.where(mask, 1.0, given), np.zeros(4096)]).astype(np.float16)).to(device)
    starts = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)[:-1]])).to(device)
    sizes = torch.from_numpy(lengths).to(device)
    per_token = float(np.where(mask, 1.0, a.given).mean())

    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    opt = torch.optim.AdamW([dict(params=matrices, weight_decay=a.decay), dict(params=vectors, weight_decay=0.0)], lr=a.lr, betas=(0.9, 0.95), fused=device == "cuda")
    if a.compile:
        for layer in model.model.layers: layer.compile(dynamic=True)

    def loss_of(edge, members):
        m = torch.from_numpy(members).to(device)
        where = torch.arange(edge, device=device)[None]
        inside = where < sizes[m][:, None]
        at = starts[m][:, None] + where
        x = torch.where(inside, flat[at].long(), 0)
        w = torch.where(inside, weight[at].float(), 0.0)[:, 1:]
        with torch.autocast(device, torch.bfloat16):
            logits = model.logits(model.hidden(x)[:, :-1])
        return (F.cross_entropy(logits.float().flatten(0, 1), x[:, 1:].flatten(), reduction="none") * w.flatten()).sum() / (a.tokens * per_token)

    rng = np.random.default_rng(a.seed)
    queue, epoch, step, shown = [], 0, 0, 0.0
    begun, smooth, seen = time.time(), None, 0
    while True:
        progress = max(step / a.steps, (time.time() - begun) / a.seconds)
        if progress >= 1: break
        rate = a.lr * min(1.0, (step + 1) / 300) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))
        for g in opt.param_groups: g["lr"] = rate
        total = 0.0
        for _ in range(a.accumulate):
            if not queue:
                queue, epoch = dataset.batches(lengths, a.tokens, rng), epoch + 1
            edge, members = queue.pop()
            loss = loss_of(edge, members) / a.accumulate
            loss.backward()
            total = total + loss.detach()
            seen += int(lengths[members].sum())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        step += 1
        if step % 100 == 0:
            value = float(total)
            smooth = value if smooth is None else 0.8 * smooth + 0.2 * value
            if step % 500 == 0 or step == 100:
                print(f"step {step} epoch {epoch} loss {smooth:.4f} lr {rate:.2e} {seen/1e6:.0f}M tokens {time.time()-begun:.0f}s", flush=True)
    net.save(model, a.out)
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        if os.path.abspath(a.tokenizer) != os.path.abspath(a.out): shutil.copy(os.path.join(a.tokenizer, name), a.out)
    print(f"done: {step} steps, {seen/1e6:.0f}M tokens, {time.time()-begun:.0f}s -> {a.out}", flush=True)


if __name__ == "__main__":
    main()
