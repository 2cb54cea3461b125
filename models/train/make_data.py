"""Knows how to write the training samples once, so that several trainings can share them.
Usage: python make_data.py --out /tmp/data --samples 3000000"""
import argparse
import os
import time

import numpy as np

import dataset

if __name__ == "__main__":
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("--tokenizer", default=os.path.join(os.path.dirname(__file__), "..", "hone-mini", "tokenizer.json"))
    a.add_argument("--samples", type=int, default=3000000)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--noise", type=float, default=0.0, help="share of tickets with disturbed words")
    a = a.parse_args()
    begun = time.time()
    ids, lengths, _ = dataset.make(a.tokenizer, a.samples, a.seed, a.noise)
    os.makedirs(a.out, exist_ok=True)
    np.save(os.path.join(a.out, "ids.npy"), ids)
    np.save(os.path.join(a.out, "lengths.npy"), lengths)
    print(f"{len(lengths)} samples, {len(ids)/1e6:.1f}M tokens, {time.time()-begun:.0f}s")
