"""Knows how good a model is: exact match per task on held-out templates and fillers, greedy, with and without thinking.
Usage: python evaluate.py --model ../hone-mini --count 200 --out report.json"""
import argparse
import json
import random
import time

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import chat_format
import mixture
from words import TEST, TRAIN


def cases(count, seed, split, thinking):
    for name in mixture.NAMES:
        rng = random.Random(f"{seed}-{name}-{split}-{thinking}")
        for _ in range(count if not name.startswith("long.") else max(2, count // 4)):
            s = mixture.one(rng, name, split)
            prompt, answer = chat_format.prompt_and_answer(s, thinking)
            yield dict(task=name, prompt=prompt, accept=s.get("accept") or [answer])


@torch.no_grad()
def answer_all(model, tok, items, device, limit=128):
    """Greedy answers for all prompts, batched by length."""
    order = sorted(range(len(items)), key=lambda i: len(items[i]["ids"]))
    while order:
        longest = len(items[order[-1]]["ids"])
        size = max(8, min(512, 160000 // longest))
        batch, order = order[-size:], order[:-size]
        width = max(len(items[i]["ids"]) for i in batch)
        ids = torch.tensor([[0] * (width - len(items[i]["ids"])) + items[i]["ids"] for i in batch], device=device)
        mask = torch.tensor([[0] * (width - len(items[i]["ids"])) + [1] * len(items[i]["ids"]) for i in batch], device=device)
        out = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=limit, do_sample=False, eos_token_id=1, pad_token_id=0)[:, width:].tolist()
        for i, o in zip(batch, out):
            if 1 in o: o = o[:o.index(1)]
            items[i]["text"] = tok.decode(o, skip_special_tokens=False)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--model", required=True)
    a.add_argument("--count", type=int, default=200)
    a.add_argument("--seed", type=int, default=99)
    a.add_argument("--out", default="")
    a.add_argument("--misses", type=int, default=2)
    a = a.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    begun = time.time()
    tok = AutoTokenizer.from_pretrained(a.model)
    model = AutoModelForCausalLM.from_pretrained(a.model, dtype=torch.float32).to(device).eval()
    report, misses = {}, []
    for mode, split, thinking in (("held-out", TEST, False), ("held-out, thinking", TEST, True), ("training wording", TRAIN, False)):
        items = list(cases(a.count if split == TEST else a.count // 2, a.seed, split, thinking))
        for x, e in zip(items, tok([x["prompt"] for x in items], add_special_tokens=False)["input_ids"]): x["ids"] = e[-2040:]
        answer_all(model, tok, items, device)
        scores = {}
        for x in items:
            text = x["text"].split("</think>")[-1] if thinking else x["text"]
            good = text in x["accept"]
            scores.setdefault(x["task"], []).append(good)
            if not good: misses.append((mode, x))
        report[mode] = {k: sum(v) / len(v) for k, v in scores.items()}
        report[mode]["all"] = sum(report[mode].values()) / len(report[mode])
    for name in mixture.NAMES + ["all"]:
        print(f"{name:20s} " + "  ".join(f"{report[m][name]*100:5.1f}" for m in report))
    print(f"{time.time()-begun:.0f}s")
    shown = {}
    for mode, x in misses:
        key = (mode, x["task"])
        shown[key] = shown.get(key, 0) + 1
        if shown[key] <= a.misses and mode != "training wording":
            print(f"MISS [{mode} {x['task']}] {x['prompt'][-260:]!r}\n   want {x['accept'][0]!r}\n   got  {x['text']!r}")
    if a.out: json.dump(report, open(a.out, "w"), indent=1)


if __name__ == "__main__":
    main()
