"""Knows whether the held-out wording is really new: the longest run of words each held-out sentence shares with training.
Usage: python check_held.py"""
import random
import re

from tickets import KEYS, TOPICS
from tickets_held import HELD
from words import TRAIN, Say


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def main():
    say = Say(random.Random(0), TRAIN)
    seen = {n: set() for n in range(3, 12)}
    for key in KEYS:
        for line in TOPICS[key].lines:
            for _ in range(400):
                w = words(say(line, item="ITEM", app="APP", city="CITY", first="FIRST", name="NAME", day="DAY"))
                for n in seen:
                    seen[n].update(tuple(w[i:i + n]) for i in range(len(w) - n + 1))
    counts, long = {}, []
    for key in KEYS:
        for line in HELD[key]:
            w = words(say(line, item="ITEM", app="APP", city="CITY", first="FIRST", name="NAME", day="DAY"))
            best = max([n for n in seen if any(tuple(w[i:i + n]) in seen[n] for i in range(len(w) - n + 1))], default=2)
            counts[best] = counts.get(best, 0) + 1
            if best >= 6: long.append((best, key, line))
    print("longest shared run of words -> number of held-out sentences:", dict(sorted(counts.items())))
    for x in sorted(long, reverse=True): print(x)


if __name__ == "__main__":
    main()
