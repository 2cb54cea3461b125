"""Knows the demo: a labelling scheme taught by 1,000 tickets and tested on 200 unseen ones and 200 in new wording.
Usage: python make_demo.py [--out ../demo] [--scheme routing]"""
import argparse
import json
import os
import random

from schemes import SCHEMES
from tickets import ticket
from words import TEST, TRAIN, Say


def rows(name, seed, counts=(1000, 200, 200)):
    """Training rows, unseen rows of the same wording, rows in wording that neither the base data nor the training shows."""
    scheme, rng = SCHEMES[name], random.Random(f"demo-{name}-{seed}")
    keys, used = list(scheme["codes"]), set()

    def make(count, split, wording):
        out = []
        while len(out) < count:
            key = keys[len(out) % len(keys)]
            text = ticket(Say(rng, split), key, wording)
            if text.lower() in used: continue
            used.add(text.lower())
            system = [{"role": "system", "content": scheme["system"]}] if scheme["system"] else []
            out.append({"messages": system + [{"role": "user", "content": text}, {"role": "assistant", "content": scheme["codes"][key]}]})
        rng.shuffle(out)
        return out

    return make(counts[0], TRAIN, "train"), make(counts[1], TRAIN, "train"), make(counts[2], TEST, "held")


if __name__ == "__main__":
    a = argparse.ArgumentParser()
    a.add_argument("--out", default=os.path.join(os.path.dirname(__file__), "..", "demo"))
    a.add_argument("--scheme", default="routing")
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    folder = os.path.join(a.out, a.scheme)
    os.makedirs(folder, exist_ok=True)
    for name, part in zip(("train", "unseen", "new-wording"), rows(a.scheme, a.seed)):
        with open(os.path.join(folder, name + ".jsonl"), "w") as f:
            for row in part: f.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(name, len(part))
