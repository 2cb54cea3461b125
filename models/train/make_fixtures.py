"""Knows the parity fixtures of the engine: what transformers and PEFT compute in float32 on a CPU, written as JSON.
Usage: python make_fixtures.py [--model ../hone-mini] [--out ../../server/test/fixtures/engine]"""
import argparse
import json
import os
import random
import shutil

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

import chat_format
import make_demo
import mixture
from words import TEST

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def digits(x, n=7):
    """Nested lists of numbers with n significant digits."""
    if isinstance(x, torch.Tensor): x = x.detach().tolist()
    if isinstance(x, list): return [digits(v, n) for v in x]
    return float(f"{x:.{n}g}")


def write(folder, name, value):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w") as f:
        f.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def tidy(folder):
    """Keep what an engine reads; drop the cards that libraries add."""
    for name in os.listdir(folder):
        if name not in ("config.json", "generation_config.json", "model.safetensors", "adapter_config.json", "adapter_model.safetensors"):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def tiny(out):
    """A random Llama with an adapter: logits, loss, gradients, merged weights."""
    folder = os.path.join(out, "tiny-llama")
    torch.manual_seed(1234)
    config = LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=128,
                         rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=False, bos_token_id=None, eos_token_id=1, pad_token_id=0, initializer_range=0.2)
    model = LlamaForCausalLM(config).float().eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "norm" in name: p.copy_(1 + 0.2 * torch.randn_like(p))
    model.save_pretrained(folder)
    c = json.load(open(os.path.join(folder, "config.json")))
    c.update(rope_theta=10000.0, rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, torch_dtype="float32", dtype="float32", tie_word_embeddings=False)
    json.dump(c, open(os.path.join(folder, "config.json"), "w"), indent=2)
    ids = [[5, 17, 33, 2, 48, 63, 9, 21, 11, 40, 7, 3], [60, 1, 14, 14, 14, 30, 22]]
    with torch.no_grad():
        logits = [model(input_ids=torch.tensor([x])).logits[0] for x in ids]
    peft = get_peft_model(model, LoraConfig(r=4, lora_alpha=8, lora_dropout=0.0, target_modules=TARGETS, task_type="CAUSAL_LM"))
    with torch.no_grad():
        for name, p in peft.named_parameters():
            if "lora_" in name: p.copy_(0.1 * torch.randn_like(p))
    peft.save_pretrained(os.path.join(out, "tiny-adapter"))
    peft.eval()
    with torch.no_grad():
        adapted = [peft(input_ids=torch.tensor([x])).logits[0] for x in ids]
    # a right-padded batch with masked labels: mean cross-entropy over the unmasked next tokens of the whole batch
    rows = [([5, 17, 33, 2, 48, 63, 9, 21, 11], 4), ([60, 1, 14, 30, 22, 6], 2), ([8, 8, 19, 50, 3, 44, 25], 6)]
    width = max(len(r) for r, _ in rows)
    batch = torch.tensor([r + [0] * (width - len(r)) for r, _ in rows])
    mask = torch.tensor([[1] * len(r) + [0] * (width - len(r)) for r, _ in rows])
    labels = torch.tensor([[-100] * k + r[k:] + [-100] * (width - len(r)) for r, k in rows])
    peft.zero_grad()
    result = peft(input_ids=batch, attention_mask=mask)
    loss = torch.nn.functional.cross_entropy(result.logits[:, :-1].reshape(-1, 64), labels[:, 1:].reshape(-1), ignore_index=-100)
    loss.backward()
    gradients = {n.replace("base_model.model.", "").replace(".default", ""): digits(p.grad) for n, p in peft.named_parameters() if p.requires_grad}
    write(out, "tiny.json", dict(about="tiny-llama and tiny-adapter in float32: logits per position; loss is the mean over unmasked next tokens; gradients by parameter name (shape as stored).",
          input_ids=ids, logits=[digits(x) for x in logits], adapter_logits=[digits(x) for x in adapted],
          batch=dict(input_ids=batch.tolist(), attention_mask=mask.tolist(), labels=labels.tolist(), loss=digits(loss.item(), 8), unmasked=int((labels[:, 1:] != -100).sum()), gradients=gradients)))
    merged = peft.merge_and_unload()
    merged.save_pretrained(os.path.join(out, "tiny-merged"))
    shutil.copy(os.path.join(folder, "config.json"), os.path.join(out, "tiny-merged", "config.json"))
    with torch.no_grad():
        after = [merged(input_ids=torch.tensor([x])).logits[0] for x in ids]
    write(out, "tiny-merged.json", dict(input_ids=ids, logits=[digits(x) for x in after]))
    for name in ("tiny-llama", "tiny-adapter", "tiny-merged"): tidy(os.path.join(out, name))


WEATHER = dict(type="function", function=dict(name="get_weather", description="Get the weather of a city", parameters=dict(type="object", properties=dict(city=dict(type="string", description="Name of the city")), required=["city"])))
TICKET = dict(type="function", function=dict(name="create_ticket", description="Open a ticket: \"urgent\" or not — für Größe & 数量", parameters=dict(type="object", properties=dict(team=dict(type="string", enum=["billing", "shipping"]), title=dict(type="string"), count=dict(type="integer")), required=["team", "title"])))
BARE = dict(type="function", function=dict(name="ping"))


def chats():
    u = lambda text: dict(role="user", content=text)
    a = lambda text: dict(role="assistant", content=text)
    s = lambda text: dict(role="system", content=text)
    call = lambda name, args, text=None: dict(role="assistant", content=text, tool_calls=[dict(id="call_1", type="function", function=dict(name=name, arguments=args))])
    return [
        dict(messages=[u("Hello")], add_generation_prompt=True),
        dict(messages=[u("Hello")], add_generation_prompt=True, enable_thinking=True),
        dict(messages=[u("Hello")], add_generation_prompt=True, enable_thinking=False),
        dict(messages=[s("Be brief."), u("Who are you?"), a("I'm Hone Mini."), u("Thanks!")], add_generation_prompt=True),
        dict(messages=[dict(role="developer", content="Be brief."), u("Hi")], add_generation_prompt=True, enable_thinking=True),
        dict(messages=[s("Be brief."), u("What is 12 + 30?"), a("<think>10 + 30 = 40.</think>12 + 30 = 42"), u("And 1 + 1?")], add_generation_prompt=True, enable_thinking=True),
        dict(messages=[s("Be brief."), u("Hi"), a("Hello!")], add_generation_prompt=False),
        dict(messages=[u("Weather in Oslo?")], tools=[WEATHER], add_generation_prompt=True),
        dict(messages=[s("Use tools."), u("Weather in Oslo?")], tools=[WEATHER, TICKET, BARE], add_generation_prompt=True, enable_thinking=True),
        dict(messages=[s("Use tools."), u("Weather in Oslo?"), call("get_weather", {"city": "Oslo"}), dict(role="tool", tool_call_id="call_1", content="{\"sky\": \"clear\", \"temperature\": -3}")], tools=[WEATHER], add_generation_prompt=True),
        dict(messages=[u("Weather in Oslo?"), call("get_weather", "{\"city\": \"Oslo\"}", "One moment."), dict(role="tool", tool_call_id="call_1", content="clear"), a("It is clear."), u("thx")], tools=[WEATHER], add_generation_prompt=True),
        dict(messages=[u("Both!"), dict(role="assistant", content="", tool_calls=[dict(id="1", type="function", function=dict(name="get_weather", arguments={"city": "Paris"})), dict(id="2", type="function", function=dict(name="create_ticket", arguments={"team": "billing", "title": "a \"b\" ü", "count": 2, "tags": [], "more": {"x": None, "y": True}}))]),
                       dict(role="tool", tool_call_id="1", content="sunny"), dict(role="tool", tool_call_id="2", content="ok")], tools=[WEATHER, TICKET], add_generation_prompt=True),
        dict(messages=[s(""), u("")], add_generation_prompt=True),
        dict(messages=[u("Grüße aus Köln! 你好，世界 🙂👩‍👩‍👧 ñ é ø — “quotes” … ½ €5")], add_generation_prompt=True),
        dict(messages=[u("  spaces   in    runs\n\n\n\ttabs\t\tand \r\n lines  ")], add_generation_prompt=True),
        dict(messages=[u("Hi"), s("A late system turn."), u("Go on")], add_generation_prompt=True),
    ]


TEXTS = ["", " ", "  ", "\n", "\n\n\n", "a", " a", "Hello, world!", "hello   world", "tabs\tand\nlines\r\nend ", "1234567890", "Order #A-90210, 12.50 EUR", "don't can't I'm we'll", "ALL CAPS and camelCase snake_case kebab-case",
         "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"n\": -1.5e3}}", "Grüße, señor Ångström œuvre", "你好，世界。こんにちは 안녕하세요", "🙂 👍🏽 👩‍👩‍👧‍👦 🇩🇪", "Привет мир, Ωμέγα, שלום, مرحبا", "a\u0301 e\u0308 \u00a0nbsp\u2003em\u200bzero\ufefflast", "٣٤٥ Ⅻ ½ ² ①",
         "x" * 40, "!!!???...---___***", "C:\\path\\file.txt https://example.com/a?b=c&d=%20", "  leading and trailing  ", "mixed\u3000ideographic space", "<think>", "<|end|>", "a<|user|>b", "</tool_call> tail", "<|endx|> <|", "Q7-ZETA M3-OPAL wexo-41"]


def mini(folder, out):
    """hone-mini as stored, computed in float32."""
    tok = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    write(out, "tokenize.json", dict(about="ids with special tokens recognised in the text (as transformers does) and, for text that must stay text, with special tokens split into plain pieces",
          cases=[dict(text=t, ids=tok(t, add_special_tokens=False)["input_ids"], plain_ids=tok(t, add_special_tokens=False, split_special_tokens=True)["input_ids"], decoded=tok.decode(tok(t, add_special_tokens=False)["input_ids"], skip_special_tokens=False, clean_up_tokenization_spaces=False)) for t in TEXTS]))
    rendered = []
    for c in chats():
        args = {k: v for k, v in c.items() if k != "messages"}
        text = tok.apply_chat_template(c["messages"], tokenize=False, **args)
        rendered.append(dict(c, text=text, ids=tok(text, add_special_tokens=False)["input_ids"]))
    write(out, "template.json", rendered)
    rng = random.Random(4)
    prompts = [c["ids"] for c in rendered if c.get("add_generation_prompt")][:6]
    for name in ("classify.label", "classify.code", "extract.json", "transform.lists", "transform.dates", "arithmetic", "arithmetic", "tools.call", "tools.two", "tools.answer", "chat.support", "chat.memory", "read.policy", "chat.refuse"):
        thinking = name == "arithmetic" or rng.random() < 0.3
        prompt, _ = chat_format.prompt_and_answer(mixture.one(rng, name, TEST), thinking)
        prompts.append(tok(prompt, add_special_tokens=False)["input_ids"])
    greedy = []
    with torch.no_grad():
        for p in prompts:
            o = model.generate(torch.tensor([p]), attention_mask=torch.ones(1, len(p), dtype=torch.long), max_new_tokens=48, do_sample=False, eos_token_id=1, pad_token_id=0)[0, len(p):].tolist()
            logits = model(input_ids=torch.tensor([p + o])).logits[0, len(p) - 1:-1]
            top = logits.topk(2).values
            greedy.append(dict(input_ids=p, output_ids=o, text=tok.decode(o, skip_special_tokens=False), smallest_gap=digits((top[:, 0] - top[:, 1]).min().item(), 4)))
        last = []
        for p in (prompts[0], prompts[7], prompts[13]):
            logits = model(input_ids=torch.tensor([p])).logits[0, -1]
            values, ids = logits.topk(50)
            last.append(dict(input_ids=p, top_ids=ids.tolist(), top_values=digits(values, 8), sum=digits(logits.sum().item(), 8), sum_of_squares=digits((logits ** 2).sum().item(), 8)))
    write(out, "mini-logits.json", last)
    write(out, "mini-greedy.json", greedy)
    # an adapter of rank 8, trained a few steps on the demo scheme
    torch.manual_seed(5)
    peft = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, lora_dropout=0.0, target_modules=TARGETS, task_type="CAUSAL_LM"))
    train, unseen, _ = make_demo.rows("routing", 1)
    opt = torch.optim.AdamW([p for p in peft.parameters() if p.requires_grad], lr=2e-3)
    for step in range(12):
        loss = 0.0
        for row in train[step * 8:step * 8 + 8]:
            parts = chat_format.pieces(row["messages"])
            given = tok("".join(t for t, _ in parts[:-1]), add_special_tokens=False)["input_ids"]
            full = given + tok(parts[-1][0], add_special_tokens=False)["input_ids"]
            labels = torch.tensor([[-100] * len(given) + full[len(given):]])
            loss = loss + peft(input_ids=torch.tensor([full]), labels=labels).loss / 8
        loss.backward()
        opt.step()
        opt.zero_grad()
    target = os.path.join(out, "mini-adapter")
    from safetensors.torch import load_file, save_file
    peft.save_pretrained(target)
    tidy(target)
    path = os.path.join(target, "adapter_model.safetensors")
    save_file({k: v.half().contiguous() for k, v in load_file(path).items()}, path, metadata={"format": "pt"})  # half the size; read back below
    cfg = json.load(open(os.path.join(target, "adapter_config.json")))
    cfg["base_model_name_or_path"] = "hone-mini"
    json.dump(cfg, open(os.path.join(target, "adapter_config.json"), "w"), indent=2)
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    adapted = PeftModel.from_pretrained(base, target).float().eval()
    rows = []
    with torch.no_grad():
        for row in unseen[:3]:
            p = tok("".join(t for t, _ in chat_format.pieces(row["messages"])[:-1]), add_special_tokens=False)["input_ids"]
            logits = adapted(input_ids=torch.tensor([p])).logits[0, -1]
            values, ids = logits.topk(50)
            rows.append(dict(input_ids=p, top_ids=ids.tolist(), top_values=digits(values, 8), sum=digits(logits.sum().item(), 8)))
    write(out, "mini-adapter.json", dict(about="hone-mini with mini-adapter (stored f16) in float32, last position", loss_when_saved=digits(float(loss.detach()), 6), cases=rows))
    path = os.path.join(out, "tiny-adapter", "adapter_config.json")
    cfg = json.load(open(path)); cfg["base_model_name_or_path"] = "tiny-llama"; json.dump(cfg, open(path, "w"), indent=2)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    a = argparse.ArgumentParser()
    a.add_argument("--model", default=os.path.join(here, "..", "hone-mini"))
    a.add_argument("--out", default=os.path.join(here, "..", "..", "server", "test", "fixtures", "engine"))
    a = a.parse_args()
    torch.set_num_threads(2)
    tiny(a.out)
    mini(a.model, a.out)
