"""Knows which tasks the base model is trained on and how often each appears."""
import random

import schemes  # bars the codes of the unseen schemes
import tasks_chat as chat
import tasks_classify as classify
import tasks_extract as extract
import tasks_long as long
import tasks_tools as tools
import tasks_transform as transform
from words import TRAIN, Say

# task -> (generator, share of the samples)
TASKS = {
    "classify.label": (classify.by_label, 12), "classify.code": (classify.by_code, 16), "classify.examples": (classify.by_examples, 6),
    "classify.sentiment": (classify.sentiment, 3), "classify.urgency": (classify.urgency, 2.5), "classify.about": (classify.about, 4),
    "classify.json": (classify.json_verdict, 4), "classify.topic": (classify.topic_name, 8), "classify.match": (classify.match, 3), "classify.area": (classify.area, 2),
    "extract.json": (extract.as_json, 8), "extract.field": (extract.one_field, 3),
    "transform.lists": (transform.lists, 8), "transform.numbers": (transform.number_lists, 3), "transform.dates": (transform.dates, 5),
    "arithmetic": (transform.arithmetic, 9), "compare": (transform.compare, 1),
    "tools.call": (tools.one_call, 12), "tools.two": (tools.two_calls, 5), "tools.answer": (tools.after_result, 4), "tools.answer_two": (tools.after_two, 1),
    "tools.none": (tools.no_tool, 2.5), "tools.no_fit": (tools.no_fit, 1.5),
    "chat.smalltalk": (chat.smalltalk, 5), "chat.persona": (chat.persona, 4), "chat.support": (chat.support, 7), "chat.memory": (chat.remember, 3),
    "chat.facts": (chat.facts, 1.5), "chat.refuse": (chat.refuse, 4), "chat.nonsense": (chat.nonsense, 0.3),
    "read.policy": (long.policy, 4), "long.policy": (long.long_policy, 0.8), "long.task": (long.long_task, 1.0), "long.chat": (long.long_chat, 0.5),
}
NAMES = list(TASKS)
WEIGHTS = [w for _, w in TASKS.values()]
THINKING_SHARE = 0.25


def one(rng, name=None, split=TRAIN, noise=0.0):
    """One sample: messages, tools, and whether it thinks aloud."""
    name = name or rng.choices(NAMES, WEIGHTS)[0]
    sample = TASKS[name][0](Say(rng, split, noise))
    sample["task"] = name
    sample["thinking"] = bool(sample.get("thought")) and rng.random() < THINKING_SHARE
    return sample


def many(seed, count, split=TRAIN, noise=0.0):
    rng = random.Random(seed)
    for _ in range(count):
        yield one(rng, split=split, noise=noise)
