"""Knows whether the held-out wording is really new: the longest run of words each held-out ticket shares with training, and
whether any held-out phrase of the other lists stands in the training lists as well.
Usage: python check_held.py"""
import random
import re

import talk_more
import tasks_chat
import tasks_classify
import tasks_tools
import tasks_transform
import tools_more
from tickets import FRAMES, FRAMES_HELD, KEYS, TOPICS
from tickets_held import HELD
from words import TEST, TRAIN, Say, part, split_top

FIXED = dict(item="ITEM", app="APP", city="CITY", first="FIRST", name="NAME", day="DAY", t="THEME", b="BOT", c="COMPANY", l="LIST", L="LIST", n="LIST", d="LIST", x="WORD", k="KEYS", f="FIELD")


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def texts(say, templates, times):
    """Many texts that the templates can become, without marks and capitals."""
    return {tuple(words(say(t, **FIXED))) for t in templates for _ in range(times)}


def pairs():
    """Each list of phrases with the lines that only training uses: (name, list, further training lines)."""
    for kind, (asks, _) in tasks_chat.TALK.items():
        yield "talk " + kind, asks.split("\n"), talk_more.TALK_MORE[kind]
    for kind, asks in tasks_chat.CANNOT.items():
        yield "refuse " + kind, split_top(asks), talk_more.CANNOT_MORE[kind]
    for kind in tasks_transform.JOBS:
        yield "list " + kind, tasks_transform.JOBS[kind], tasks_transform.JOBS_MORE[kind]
    for name, first, more in (("good", tasks_classify.GOOD, talk_more.GOOD_MORE), ("bad", tasks_classify.BAD, talk_more.BAD_MORE), ("plain", tasks_classify.PLAIN, talk_more.PLAIN_MORE),
                              ("urgent", tasks_classify.URGENT, talk_more.URGENT_MORE), ("calm", tasks_classify.CALM, talk_more.CALM_MORE), ("theme", tasks_chat.THEMES, talk_more.THEMES_MORE)):
        yield name, first, more


def tickets(say):
    seen = {n: set() for n in range(3, 12)}
    for key in KEYS:
        for line in TOPICS[key].lines:
            for _ in range(200):
                w = words(say(line, **{k: v for k, v in FIXED.items() if len(k) > 1}))
                for n in seen:
                    seen[n].update(tuple(w[i:i + n]) for i in range(len(w) - n + 1))
    counts, long = {}, []
    for key in KEYS:
        for line in HELD[key]:
            w = words(say(line, **{k: v for k, v in FIXED.items() if len(k) > 1}))
            best = max([n for n in seen if any(tuple(w[i:i + n]) in seen[n] for i in range(len(w) - n + 1))], default=2)
            counts[best] = counts.get(best, 0) + 1
            if best >= 6: long.append((best, key, line))
    print("longest shared run of words -> number of held-out sentences:", dict(sorted(counts.items())))
    for x in sorted(long, reverse=True): print(x)
    assert not set(FRAMES) & set(FRAMES_HELD)


def phrases(say):
    """A held-out phrase may not be a training phrase, nor stand in one from three words on."""
    shared = []
    for name, first, more in pairs():
        trained = texts(say, more, 300)
        for phrase in texts(say, part(first, TEST), 300):
            n = len(phrase)
            if any(phrase == t or (n >= 3 and any(t[i:i + n] == phrase for i in range(len(t) - n + 1))) for t in trained):
                shared.append((name, " ".join(phrase)))
    print(len(shared), "held-out phrases stand in the further training lists")
    for x in sorted(set(shared)): print(x)
    unseen = {n for t in part(tasks_tools.TOOLS, TEST) for n in t.names}
    known = {n for t in tools_more.TOOLS_MORE for n in t.names}
    print("tools in both parts:", sorted(unseen & known))


if __name__ == "__main__":
    tickets(Say(random.Random(0), TRAIN))
    phrases(Say(random.Random(0), TRAIN))
