"""Knows how the tokenizer is made: byte-level BPE over the training text, digits one by one, each special token one id.
Usage: python build_tokenizer.py [--out ../hone-mini] [--samples 150000]"""
import argparse
import json
import os

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import chat_format
import mixture

PATTERN = r" ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def texts(seed, samples):
    for s in mixture.many(seed, samples):
        yield from (m.get("content") or "" for m in s["messages"] if len(m.get("content") or "") < 1500)
        yield from (chat_format.call_text(c)[11:-12] for m in s["messages"] for c in m.get("tool_calls") or [])
        yield from (chat_format.tool_line(t) for t in (s.get("tools") or [])[:1])
        if s.get("thought"): yield s["thought"]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", default=os.path.join(os.path.dirname(__file__), "..", "hone-mini"))
    a.add_argument("--samples", type=int, default=150000)
    a.add_argument("--vocab", type=int, default=4096)
    a.add_argument("--seed", type=int, default=7)
    a = a.parse_args()
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    special = [AddedToken(s, special=True, normalized=False) for s in chat_format.SPECIAL]
    tok.train_from_iterator(texts(a.seed, a.samples), trainers.BpeTrainer(vocab_size=a.vocab, special_tokens=special, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False, min_frequency=2))
    os.makedirs(a.out, exist_ok=True)
    tok.save(os.path.join(a.out, "tokenizer.json"))
    json.dump(dict(tokenizer_class="PreTrainedTokenizerFast", model_max_length=2048, eos_token="<|end|>", pad_token="<|pad|>", bos_token=None, unk_token=None,
                   clean_up_tokenization_spaces=False, additional_special_tokens=chat_format.SPECIAL[2:], padding_side="right"), open(os.path.join(a.out, "tokenizer_config.json"), "w"), indent=2)
    open(os.path.join(a.out, "chat_template.jinja"), "w").write(chat_format.TEMPLATE)
    print("vocabulary", tok.get_vocab_size())


if __name__ == "__main__":
    main()
