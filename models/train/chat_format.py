"""Knows how a conversation becomes text: the special tokens, the Jinja template that is shipped, and the same rendering
in Python, cut into prompt pieces and pieces the model must learn to write."""
import json

SPECIAL = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
           "<tools>", "</tools>", "<|reserved_0|>", "<|reserved_1|>", "<|reserved_2|>", "<|reserved_3|>"]
PAD, END = 0, 1

TEMPLATE = """\
{%- set start = 0 -%}
{%- set system = '' -%}
{%- if messages and (messages[0].role == 'system' or messages[0].role == 'developer') -%}
{%- set start = 1 -%}
{%- set system = messages[0].content if messages[0].content else '' -%}
{%- endif -%}
{%- if start == 1 or tools -%}
{{- '<|system|>' + system -}}
{%- if tools -%}
{{- '<tools>' -}}
{%- for tool in tools -%}
{%- set f = tool.function if tool.function else tool -%}
{{- '{"name": ' + (f.name | tojson) + ', "description": ' + ((f.description if f.description else '') | tojson) + ', "parameters": ' + ((f.parameters if f.parameters else {}) | tojson) + '}' -}}
{%- if not loop.last -%}{{- '\\n' -}}{%- endif -%}
{%- endfor -%}
{{- '</tools>' -}}
{%- endif -%}
{{- '<|end|>' -}}
{%- endif -%}
{%- for message in messages[start:] -%}
{%- set content = message.content if message.content else '' -%}
{%- if message.role == 'assistant' -%}
{%- if '</think>' in content -%}{%- set content = content.split('</think>')[-1] -%}{%- endif -%}
{{- '<|assistant|>' + content -}}
{%- if message.tool_calls -%}
{%- for call in message.tool_calls -%}
{%- set f = call.function if call.function else call -%}
{{- '<tool_call>{"name": ' + (f.name | tojson) + ', "arguments": ' -}}
{%- if f.arguments is string -%}{{- f.arguments -}}{%- else -%}{{- f.arguments | tojson -}}{%- endif -%}
{{- '}</tool_call>' -}}
{%- endfor -%}
{%- endif -%}
{{- '<|end|>' -}}
{%- elif message.role == 'tool' -%}
{{- '<|tool|>' + content + '<|end|>' -}}
{%- elif message.role == 'system' or message.role == 'developer' -%}
{{- '<|system|>' + content + '<|end|>' -}}
{%- else -%}
{{- '<|user|>' + content + '<|end|>' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|assistant|>' -}}
{%- if enable_thinking -%}{{- '<think>' -}}{%- endif -%}
{%- endif -%}
"""


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def tool_line(tool):
    tool = tool.get("function", tool)
    return '{"name": ' + dumps(tool["name"]) + ', "description": ' + dumps(tool.get("description") or "") + ', "parameters": ' + dumps(tool.get("parameters") or {}) + "}"


def call_text(call):
    call = call.get("function", call)
    args = call["arguments"] if isinstance(call["arguments"], str) else dumps(call["arguments"])
    return '<tool_call>{"name": ' + dumps(call["name"]) + ', "arguments": ' + args + "}</tool_call>"


def answer_text(message):
    return (message.get("content") or "") + "".join(call_text(c) for c in message.get("tool_calls") or [])


def pieces(messages, tools=None, thinking=False, thought=None, after=None):
    """[(text, learn)]: the assistant's words are learned, all else is given."""
    out, rest = [], list(messages)
    system = None
    if rest and rest[0]["role"] in ("system", "developer"):
        system = rest.pop(0).get("content") or ""
    if system is not None or tools:
        text = "<|system|>" + (system or "")
        if tools: text += "<tools>" + "\n".join(tool_line(t) for t in tools) + "</tools>"
        out.append((text + "<|end|>", False))
    for i, m in enumerate(rest):
        if m["role"] == "assistant":
            last = i == len(rest) - 1
            if last and thinking:
                answer = after if after else answer_text(m)
                out += [("<|assistant|><think>", False), (thought + "</think>" + answer + "<|end|>", True)]
            else:
                out += [("<|assistant|>", False), (answer_text(m) + "<|end|>", True)]
        else:
            role = {"developer": "system"}.get(m["role"], m["role"])
            out.append((f"<|{role}|>" + (m.get("content") or "") + "<|end|>", False))
    return out


def sample_pieces(sample, thinking=None):
    thinking = sample.get("thinking") if thinking is None else thinking
    return pieces(sample["messages"], sample.get("tools"), thinking, sample.get("thought"), sample.get("after"))


def prompt_and_answer(sample, thinking=False):
    """The prompt up to the last answer, and that answer (without the thought)."""
    parts = sample_pieces(sample, thinking)
    prompt = "".join(t for t, _ in parts[:-1])
    answer = sample["after"] if thinking and sample.get("after") else answer_text(sample["messages"][-1])
    return prompt, answer
