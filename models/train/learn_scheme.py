"""Knows the test that matters: does the base learn an unseen scheme by LoRA, as a user of Hone would train it?
Rank 16, alpha 32, all seven projections, AdamW at 0.0002, short warm-up, cosine decay, 1,100 steps of 16.
Usage: python learn_scheme.py --model ../hone-mini --schemes routing,desk,words --seeds 1,2"""
import argparse
import json
import math
import os
import random
import time

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import chat_format
import make_demo
import model as net


def encode(tok, row):
    parts = chat_format.pieces(row["messages"])
    prompt = tok.encode("".join(t for t, _ in parts[:-1])).ids
    return prompt, tok.encode(parts[-1][0]).ids


def padded(rows, device):
    width = max(len(r) for r in rows)
    return torch.tensor([r + [0] * (width - len(r)) for r in rows], device=device)


@torch.no_grad()
def exact(model, data, device):
    """Share of rows whose greedy answer is the wanted one, end mark included (checked token by token along the answer)."""
    right = 0
    for i in range(0, len(data), 100):
        part = data[i:i + 100]
        x = padded([p + t for p, t in part], device)
        guess = model.logits(model.hidden(x)).argmax(-1)
        for row, (p, t) in enumerate(part):
            right += guess[row, len(p) - 1:len(p) - 1 + len(t)].tolist() == t
    return right / len(data)


def learn(folder, scheme, seed, steps, device, rate=2e-4):
    tok = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    train, unseen, new = ([encode(tok, r) for r in part] for part in make_demo.rows(scheme, seed))
    model = net.load(folder, device)
    before = exact(model, unseen, device), exact(model, new, device)
    torch.manual_seed(seed)
    params = net.add_lora(model)
    opt = torch.optim.AdamW(params, lr=rate, weight_decay=0.0)
    rng, order, begun = random.Random(seed), [], time.time()
    lengths = [len(p) + len(t) for p, t in train]
    track = []
    for step in range(steps):
        warm = max(1, int(0.03 * steps))
        lr = rate * min(1, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * max(0, step - warm) / max(1, steps - warm)))
        for g in opt.param_groups: g["lr"] = lr
        batch = []
        while len(batch) < 16:
            if not order: order = rng.sample(range(len(train)), len(train))
            batch.append(train[order.pop()])
        x = padded([p + t for p, t in batch], device)
        y = padded([[-100] * len(p) + t for p, t in batch], device)
        width = torch.tensor([len(p) + len(t) for p, t in batch], device=device)
        y = torch.where(torch.arange(x.shape[1], device=device)[None] < width[:, None], y, -100)
        h = model.hidden(x)[:, :-1]
        keep = y[:, 1:] != -100
        loss = F.cross_entropy(model.logits(h[keep]), y[:, 1:][keep])
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
        if step + 1 in (300, 500, 800) and step + 1 < steps:
            track.append((step + 1, exact(model, unseen, device), exact(model, new, device)))
    after = exact(model, unseen, device), exact(model, new, device)
    return dict(scheme=scheme, seed=seed, steps=steps, before_unseen=before[0], before_new=before[1], unseen=after[0], new=after[1], track=track, loss=float(loss.detach()),
                mean_length=sum(lengths) / len(lengths), longest=max(lengths), seconds=time.time() - begun)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--model", required=True)
    a.add_argument("--schemes", default="routing,desk,words")
    a.add_argument("--seeds", default="1,2")
    a.add_argument("--steps", type=int, default=1100)
    a.add_argument("--out", default="")
    a = a.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    results = []
    for scheme in a.schemes.split(","):
        for seed in map(int, a.seeds.split(",")):
            r = learn(a.model, scheme, seed, a.steps, device)
            results.append(r)
            print(f"{scheme} seed {seed}: unseen {r['before_unseen']:.3f} -> {r['unseen']:.3f}, new wording {r['before_new']:.3f} -> {r['new']:.3f}, "
                  f"on the way {[(s, round(u, 3), round(n, 3)) for s, u, n in r['track']]}, tokens {r['mean_length']:.0f} (max {r['longest']}), {r['seconds']:.0f}s", flush=True)
    if a.out: json.dump(results, open(a.out, "w"), indent=1)


if __name__ == "__main__":
    main()
