"""Knows the fixtures of what other members of the Llama family have and hone-mini lacks: stretched positions, heads of odd
sizes, and the vocabularies of Llama 2 and 3; as transformers and tokenizers compute them.
Usage: python make_family_fixtures.py [--out ../../server/test/fixtures/engine-family]"""
import argparse
import json
import os

import torch
from tokenizers import Tokenizer, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

from make_fixtures import digits, tidy, write

LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)


def model(out, name, rope, **sizes):
    """A random Llama and its logits at a few places of a long text."""
    folder = os.path.join(out, name)
    torch.manual_seed(99)
    config = LlamaConfig(vocab_size=48, hidden_size=24, intermediate_size=40, num_hidden_layers=2, max_position_embeddings=512, rms_norm_eps=1e-5, rope_parameters=dict(rope, rope_theta=10000.0),
                         tie_word_embeddings=True, bos_token_id=None, eos_token_id=1, pad_token_id=0, initializer_range=0.3, **sizes)
    llama = LlamaForCausalLM(config).float().eval()
    llama.save_pretrained(folder)
    tidy(folder)
    c = json.load(open(os.path.join(folder, "config.json")))
    # as the writers before rope_parameters had it, which is how most folders still look
    c.update(rope_theta=10000.0, rope_scaling=None if rope["rope_type"] == "default" else rope, torch_dtype="float32")
    json.dump({k: v for k, v in c.items() if k != "rope_parameters"}, open(os.path.join(folder, "config.json"), "w"), indent=2)
    ids = [(i * i * 7 + 3 * i + 5) % 48 for i in range(300)]
    places = [0, 1, 20, 63, 64, 150, 299]
    with torch.no_grad():
        logits = llama(input_ids=torch.tensor([ids])).logits[0]
    write(out, f"{name}.json", dict(input_ids=ids, places=places, logits=[digits(logits[p]) for p in places]))


MARKS = ["<unk>", "<s>", "</s>"]
MERGES = ["▁ H", "e l", "l o", "▁H el", "▁Hel lo", "▁ w", "o r", "▁w or", "▁ [", "I N", "▁[ IN", "S T", "ü r", "▁ f", "▁f ür", "▁ ▁", "▁▁ ▁▁", "t h", "▁ th", "a t", "▁ {", "▁{ \"", "\" :", "▁ \"", "1 2"]
CHARACTERS = "▁HeloworldINST[]/fürthaistnbcmpu.,!?{}\":0123456789-_()<>|"


def vocabulary():
    tokens = MARKS + [f"<0x{b:02X}>" for b in range(256)]
    for m in MERGES: tokens.append(m.replace(" ", ""))
    for c in CHARACTERS:
        if c not in tokens: tokens.append(c)
    return {t: i for i, t in enumerate(tokens)}


def tokenizer_json(kind):
    """As Llama 2 and its kin write it (`prepend`), and as newer writers do (`metaspace`)."""
    replace = dict(type="Replace", pattern=dict(String=" "), content="▁")
    decode = [dict(type="Replace", pattern=dict(String="▁"), content=" "), dict(type="ByteFallback"), dict(type="Fuse"), dict(type="Strip", content=" ", start=1, stop=0)]
    return dict(version="1.0", truncation=None, padding=None,
                added_tokens=[dict(id=i, content=t, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True) for i, t in enumerate(MARKS)],
                normalizer=dict(type="Sequence", normalizers=[dict(type="Prepend", prepend="▁"), replace]) if kind == "prepend" else None,
                pre_tokenizer=None if kind == "prepend" else dict(type="Metaspace", replacement="▁", prepend_scheme="first", split=False),
                post_processor=dict(type="TemplateProcessing", single=[dict(SpecialToken=dict(id="<s>", type_id=0)), dict(Sequence=dict(id="A", type_id=0))], pair=[dict(SpecialToken=dict(id="<s>", type_id=0)), dict(Sequence=dict(id="A", type_id=0)), dict(Sequence=dict(id="B", type_id=1))],
                                    special_tokens={"<s>": dict(id="<s>", ids=[1], tokens=["<s>"])}),
                decoder=dict(type="Sequence", decoders=decode),
                model=dict(type="BPE", dropout=None, unk_token="<unk>", continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=True, byte_fallback=True, ignore_merges=False, vocab=vocabulary(), merges=[m.split(" ") for m in MERGES]))


TEXTS = ["Hello", " Hello", "Hello Hello world", "  two  spaces    four", "für Größe 你好 🙂 zß", "line\nbreak\ttab\r\n", "{\"that\": 12}", "a<b", "the [INST] word", "x", "", " ", "▁", "<0x0A>", "é"]
CHATS = ["<s>[INST] Hello world [/INST]", "<s>[INST] Hello [/INST] für das </s><s>[INST] 🙂 {\"that\": 1} [/INST]", "Hello</s>Hello", "</s></s> w", "<s> Hello", "<|user|>\nHello world</s>\n<|assistant|>\n", "</s>\n\n  Hello</s>"]


def sentencepiece(out):
    for kind in ("prepend", "metaspace"):
        t = tokenizer_json(kind)
        tok = Tokenizer.from_str(json.dumps(t))
        case = lambda text: (lambda ids: dict(text=text, ids=ids, decoded=tok.decode(ids, skip_special_tokens=True)))(tok.encode(text, add_special_tokens=False).ids)
        write(out, f"sentencepiece-{kind}.json", dict(tokenizer=t, texts=[case(x) for x in TEXTS], chats=[case(x) for x in CHATS]))


LLAMA3_PATTERN = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
LLAMA3_MARKS = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
LLAMA3_MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or", "1 2", "12 3", "' s", "' T", "Ċ Ċ", "Ġ Ġ", "! !", "{ \""]


def byte_level(out):
    """As Llama 3 writes it: a whole word that is a token is taken before any merge."""
    tokens = sorted(pre_tokenizers.ByteLevel.alphabet()) + [m.replace(" ", "") for m in LLAMA3_MERGES] + ["world", "Ġworlds"]
    t = dict(version="1.0", truncation=None, padding=None,
             added_tokens=[dict(id=len(tokens) + i, content=m, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True) for i, m in enumerate(LLAMA3_MARKS)],
             normalizer=None,
             pre_tokenizer=dict(type="Sequence", pretokenizers=[dict(type="Split", pattern=dict(Regex=LLAMA3_PATTERN), behavior="Isolated", invert=False), dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=False)]),
             post_processor=None, decoder=dict(type="ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True),
             model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False, byte_fallback=False, ignore_merges=True, vocab={x: i for i, x in enumerate(tokens)}, merges=[m.split(" ") for m in LLAMA3_MERGES]))
    tok = Tokenizer.from_str(json.dumps(t))
    texts = TEXTS + ["it's IT'S don't DON'T", "1234567890 12 123", "world worlds world", "a\n\n\nb \n c", "hello!!\n\n{\"a\"", "tabs\t\tand   spaces  ", "١٢٣ ½"]
    chats = ["<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhello world<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "hello<|eot_id|> world"]
    case = lambda text: (lambda ids: dict(text=text, ids=ids, decoded=tok.decode(ids, skip_special_tokens=True)))(tok.encode(text, add_special_tokens=False).ids)
    write(out, "byte-level.json", dict(tokenizer=t, texts=[case(x) for x in texts], chats=[case(x) for x in chats]))


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    a = argparse.ArgumentParser()
    a.add_argument("--out", default=os.path.join(here, "..", "..", "server", "test", "fixtures", "engine-family"))
    a = a.parse_args()
    model(a.out, "llama3-positions", LLAMA3, num_attention_heads=2, num_key_value_heads=1, head_dim=16)
    model(a.out, "odd-heads", dict(rope_type="default"), num_attention_heads=4, num_key_value_heads=2, head_dim=10)
    sentencepiece(a.out)
    byte_level(a.out)
