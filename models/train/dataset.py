"""Knows how samples become training batches: made and tokenized on all cores, kept as one flat array, batched by length."""
import multiprocessing
import os

import numpy as np

import chat_format
import mixture

EDGES = [48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048]
ROLES = range(2, 6)  # <|system|> <|user|> <|assistant|> <|tool|>
ASSISTANT, THINK = 4, 6


def _shard(job):
    seed, count, tokenizer, noise = job
    from tokenizers import Tokenizer
    tok = Tokenizer.from_file(tokenizer)
    ids, lengths, batch = [], [], []

    def flush():
        for e in tok.encode_batch_fast(batch):
            if len(e.ids) <= EDGES[-1]:
                ids.append(np.array(e.ids, np.uint16)); lengths.append(len(e.ids))
        batch.clear()

    for s in mixture.many(seed, count, noise=noise):
        batch.append("".join(t for t, _ in chat_format.sample_pieces(s)))
        if len(batch) == 500: flush()
    flush()
    return np.concatenate(ids), np.array(lengths, np.int64)


def make(tokenizer, count, seed, noise=0.0, workers=None):
    """Flat token ids, the length of each sample, and which tokens the assistant wrote."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    workers = workers or os.cpu_count()
    shards = max(1, count // 20000)
    jobs = [(f"{seed}-{i}", count // shards, tokenizer, noise) for i in range(shards)]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        parts = pool.map(_shard, jobs, chunksize=1)
    ids = np.concatenate([p[0] for p in parts])
    lengths = np.concatenate([p[1] for p in parts])
    return ids, lengths, learned(ids)


def learned(ids):
    """True where the token was written by the assistant (its words and its <|end|>)."""
    role = np.where((ids >= ROLES.start) & (ids < ROLES.stop), np.arange(len(ids)), 0)
    last = ids[np.maximum.accumulate(role)]
    before = np.concatenate([[0], last[:-1]])
    opened = np.concatenate([[False], ids[:-1] == ASSISTANT]) & (ids == THINK)
    return (before == ASSISTANT) & ~opened & ~((ids >= ROLES.start) & (ids < ROLES.stop))


def batches(lengths, tokens, rng):
    """Lists of sample numbers of similar length, about `tokens` padded tokens each, in random order."""
    out = []
    low = 0
    for edge in EDGES:
        members = np.where((lengths > low) & (lengths <= edge))[0]
        rng.shuffle(members)
        size = max(1, tokens // edge)
        out += [(edge, members[i:i + size]) for i in range(0, len(members), size)]
        low = edge
    rng.shuffle(out)
    return out
