"""Writes the model of llama_bench.yaml in the format GGUF, of 1 MB: random weights, no vocabulary."""
import random
import struct
import sys

VOCABULARY, WIDTH, HEADS, LAYERS, INNER = 1024, 64, 4, 4, 128
KINDS = {"u32": 4, "f32": 6, "text": 8}


def text(word):
    return struct.pack("<Q", len(word)) + word.encode()


def pair(key, kind, value):
    body = text(value) if kind == "text" else struct.pack("<I" if kind == "u32" else "<f", value)
    return text(key) + struct.pack("<I", KINDS[kind]) + body


def tensors():
    yield "token_embd.weight", (WIDTH, VOCABULARY)
    yield "output_norm.weight", (WIDTH,)
    yield "output.weight", (WIDTH, VOCABULARY)
    for layer in range(LAYERS):
        for name, shape in (("attn_norm", (WIDTH,)), ("ffn_norm", (WIDTH,)), ("attn_q", (WIDTH, WIDTH)),
                            ("attn_k", (WIDTH, WIDTH)), ("attn_v", (WIDTH, WIDTH)),
                            ("attn_output", (WIDTH, WIDTH)), ("ffn_gate", (WIDTH, INNER)),
                            ("ffn_up", (WIDTH, INNER)), ("ffn_down", (INNER, WIDTH))):
            yield f"blk.{layer}.{name}.weight", shape


def main(path):
    facts = [pair("general.architecture", "text", "llama"), pair("llama.context_length", "u32", 512),
             pair("llama.embedding_length", "u32", WIDTH), pair("llama.block_count", "u32", LAYERS),
             pair("llama.feed_forward_length", "u32", INNER),
             pair("llama.attention.head_count", "u32", HEADS),
             pair("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5),
             pair("llama.vocab_size", "u32", VOCABULARY), pair("tokenizer.ggml.model", "text", "no_vocab")]
    draw = random.Random(1)
    described, data = [], b""
    for name, shape in tensors():
        count = 1
        for extent in shape:
            count *= extent
        described.append(text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape) +
                         struct.pack("<IQ", 0, len(data)))
        data += struct.pack(f"<{count}f", *(draw.uniform(-0.1, 0.1) for _ in range(count)))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(described), len(facts)) + b"".join(facts + described)
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32) + data)


main(sys.argv[1])
