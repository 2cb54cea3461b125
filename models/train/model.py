"""Knows the network: a Llama with the parameter names of Hugging Face, small enough to read in one go, plus its LoRA.
Training runs on this class; evaluate.py and make_fixtures.py load the same weights with transformers."""
import json
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZES = {
    "test": dict(hidden_size=64, intermediate_size=160, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2),
    "s4": dict(hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=4),
    "s5": dict(hidden_size=256, intermediate_size=704, num_hidden_layers=5, num_attention_heads=8, num_key_value_heads=4),
    "s6": dict(hidden_size=256, intermediate_size=704, num_hidden_layers=6, num_attention_heads=8, num_key_value_heads=4),
}


def config(size, vocab):
    c = dict(architectures=["LlamaForCausalLM"], model_type="llama", vocab_size=vocab, **SIZES[size])
    c.update(head_dim=c["hidden_size"] // c["num_attention_heads"], max_position_embeddings=2048, rms_norm_eps=1e-5, hidden_act="silu",
             attention_bias=False, mlp_bias=False, attention_dropout=0.0, tie_word_embeddings=True, initializer_range=0.02, use_cache=True, pretraining_tp=1,
             bos_token_id=None, eos_token_id=1, pad_token_id=0, rope_theta=10000.0, rope_scaling=None,
             rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, torch_dtype="float16", dtype="float16")
    return c


class RMSNorm(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv, self.dim = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        h = c["hidden_size"]
        self.q_proj = nn.Linear(h, self.heads * self.dim, bias=False)
        self.k_proj = nn.Linear(h, self.kv * self.dim, bias=False)
        self.v_proj = nn.Linear(h, self.kv * self.dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.dim, h, bias=False)

    def forward(self, x, cos, sin):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.heads, self.dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.kv, self.dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.kv, self.dim).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        rep = self.heads // self.kv
        k = k[:, :, None].expand(b, self.kv, rep, t, self.dim).reshape(b, self.heads, t, self.dim)
        v = v[:, :, None].expand(b, self.kv, rep, t, self.dim).reshape(b, self.heads, t, self.dim)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, self.heads * self.dim))


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), -1)
    return x * cos + turned * sin


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        h, m = c["hidden_size"], c["intermediate_size"]
        self.gate_proj, self.up_proj, self.down_proj = nn.Linear(h, m, bias=False), nn.Linear(h, m, bias=False), nn.Linear(m, h, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp, self.drop = Attention(c), MLP(c), 0.0
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(c["hidden_size"], c["rms_norm_eps"]), RMSNorm(c["hidden_size"], c["rms_norm_eps"])

    def forward(self, x, cos, sin):
        x = x + self.thin(self.self_attn(self.input_layernorm(x), cos, sin))
        return x + self.thin(self.mlp(self.post_attention_layernorm(x)))

    def thin(self, x):
        """Dropout while the base is trained, nothing afterwards."""
        return F.dropout(x, self.drop) if self.drop and self.training else x


class Llama(nn.Module):
    """Right-padded batches need no mask: the attention is causal and padding comes last."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.model = nn.Module()
        self.model.embed_tokens = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.model.layers = nn.ModuleList(Layer(c) for _ in range(c["num_hidden_layers"]))
        self.model.norm = RMSNorm(c["hidden_size"], c["rms_norm_eps"])
        for name, p in self.named_parameters():
            if p.dim() == 2:
                std = 0.02 / math.sqrt(2 * c["num_hidden_layers"]) if name.endswith(("o_proj.weight", "down_proj.weight")) else 0.02 if "embed" in name else 0.6 / math.sqrt(c["hidden_size"])
                nn.init.normal_(p, std=std)
        freq = 1.0 / c["rope_theta"] ** (torch.arange(0, c["head_dim"], 2).float() / c["head_dim"])
        angle = torch.outer(torch.arange(c["max_position_embeddings"]).float(), freq)
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def hidden(self, ids):
        x = self.model.embed_tokens(ids)
        if torch.is_autocast_enabled(): x = x.to(torch.bfloat16)
        cos, sin = self.cos[:ids.shape[1]].to(x.dtype), self.sin[:ids.shape[1]].to(x.dtype)
        for layer in self.model.layers:
            x = layer(x, cos, sin)
        return self.model.norm(x)

    def logits(self, hidden):
        return F.linear(hidden, self.model.embed_tokens.weight.to(hidden.dtype))


def save(model, folder):
    from safetensors.torch import save_file
    os.makedirs(folder, exist_ok=True)
    save_file({k: v.detach().to(torch.float16).cpu().contiguous() for k, v in model.state_dict().items()}, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    json.dump(model.c, open(os.path.join(folder, "config.json"), "w"), indent=2)
    json.dump(dict(eos_token_id=1, pad_token_id=0, do_sample=False, max_new_tokens=256), open(os.path.join(folder, "generation_config.json"), "w"), indent=2)


def load(folder, device="cpu"):
    from safetensors.torch import load_file
    model = Llama(json.load(open(os.path.join(folder, "config.json"))))
    model.load_state_dict({k: v.float() for k, v in load_file(os.path.join(folder, "model.safetensors")).items()})
    return model.to(device)


class LoRA(nn.Module):
    """A linear layer with a low-rank addition: y = Wx + (alpha / rank) B A x."""

    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base, self.scale = base, alpha / rank
        base.weight.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty(rank, base.in_features, device=base.weight.device))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.lora_A), self.lora_B) * self.scale


def add_lora(model, rank=16, alpha=32):
    for p in model.parameters(): p.requires_grad_(False)
    for layer in model.model.layers:
        for part, names in ((layer.self_attn, ("q_proj", "k_proj", "v_proj", "o_proj")), (layer.mlp, ("gate_proj", "up_proj", "down_proj"))):
            for n in names: setattr(part, n, LoRA(getattr(part, n), rank, alpha))
    return [p for p in model.parameters() if p.requires_grad]
