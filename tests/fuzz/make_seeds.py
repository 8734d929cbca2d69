#!/usr/bin/env python3
"""Writes the inputs that fuzzing starts from: make_seeds.py FOLDER makes FOLDER/<harness>/<name>. They are made
here, and all are small except those that nest deeply."""

import json
import struct
import sys
import zlib
from pathlib import Path

NESTED = 80_000
SENTENCE = "The animal didn't cross the street because it was ___ tired"

ARCHITECTURE = {
    "d_model": 8, "heads": 2, "d_head": None, "d_value": None,
    "bias": {"query": True, "key": True, "value": True, "output": True}, "output_projection": True,
    "stacks": "encoder", "layers": 1, "d_ff": 8, "activation": "relu", "norm": "pre", "residual": True,
    "output_layer": "tied", "scales_embedding": False, "positions": "sinusoidal", "init": "xavier", "seed": 0}


def nested(before=b"", after=b""):
    """Deeply nested lists, all of them closed."""
    return before + b"[" * NESTED + b"]" * NESTED + after


def safetensors_header(tensors, metadata=None):
    """The JSON for consecutive float32 tensors (name: shape), and the number of their bytes."""
    header, end = {}, 0
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, shape in tensors.items():
        size = 4
        for side in shape:
            size *= side
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    return json.dumps(header).encode(), end


def numbers(n_bytes):
    return b"".join(struct.pack("<f", 0.25 * (i % 9) - 1.0) for i in range(n_bytes // 4))


def safetensors_seeds():
    modules = {
        "torch": {"in_proj_weight": [12, 4], "in_proj_bias": [12], "out_proj.weight": [4, 4], "out_proj.bias": [4]},
        "torch_kdim": {"a.q_proj_weight": [4, 4], "a.k_proj_weight": [4, 3], "a.v_proj_weight": [4, 2],
                       "a.in_proj_bias": [12], "a.out_proj.weight": [4, 4], "a.out_proj.bias": [4]},
        "packed": {"qkv.weight": [12, 4], "qkv.bias": [12], "out_proj.weight": [4, 4], "out_proj.bias": [4]},
        "separate": {"W_q.weight": [4, 4], "W_k.weight": [4, 4], "W_v.weight": [4, 4], "W_o.weight": [4, 4]},
        "matrices": {"W_query": [4, 6], "W_key": [4, 6], "W_value": [4, 2]},
        "labml": {"query.linear.weight": [4, 4], "key.linear.weight": [4, 4], "value.linear.weight": [4, 4],
                  "value.linear.bias": [4], "output.weight": [4, 4], "output.bias": [4]},
        "one_number": {"x": []},
        "no_numbers": {"x": [0, 5]},
        "nothing": {}}
    for name, tensors in modules.items():
        header, size = safetensors_header(tensors, {"format": "pt"} if name == "torch" else None)
        yield name, header + b"\0" + numbers(size)
        yield name + "_file", struct.pack("<Q", len(header)) + header + numbers(size)
    half = {"x": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}}
    yield "half", json.dumps(half).encode() + b"\0" + numbers(4)
    huge = {"x": {"dtype": "F32", "shape": [1 << 62, 4], "data_offsets": [0, 16]}}
    yield "huge", json.dumps(huge).encode() + b"\0" + numbers(16)
    yield "long_header", struct.pack("<Q", 1 << 63) + b"{}"
    many, size = safetensors_header({f"t{i}": [1] for i in range(3000)})
    yield "many", many + b"\0" + numbers(size)
    yield "deep_open", b"[" * NESTED
    yield "deep_list", nested()
    yield "deep_object", b'{"x":' * NESTED
    yield "deep_shape", nested(b'{"x":{"dtype":"F32","shape":', b',"data_offsets":[0,4]}}\0abcd')
    yield "deep_metadata", nested(b'{"__metadata__":', b"}")


def npy_seeds():
    def header(descr, order, shape):
        return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()

    types = {"|b1": 1, "|i1": 1, "|u1": 1, "<i2": 2, "<u2": 2, "<i4": 4, "<u4": 4, "<i8": 8, "<u8": 8,
             "<f4": 4, "<f8": 8, ">f4": 4, "<c8": 8}
    for descr, size in types.items():
        text = header(descr, "False", "(2, 3)")
        name = "".join(c for c in descr if c.isalnum()) + ("_big" if descr[0] == ">" else "")
        yield name, text + b"\n" + bytes(range(6 * size))
    yield "fortran", header("<f4", "True", "(3, 2)") + b"\n" + numbers(24)
    yield "single", header("<f4", "False", "()") + b"\n" + numbers(4)
    yield "empty", header("<f8", "False", "(0, 7)") + b"\n"
    yield "four", header("|b1", "False", "(1, 2, 2, 2)") + b"\n" + b"\1\0" * 4
    yield "huge", header("<f4", "False", "(2147483647, 2147483647)") + b"\n"
    body = header("<f4", "False", "(2, 3)") + b"\n"
    yield "file_1", b"\x93NUMPY\1\0" + struct.pack("<H", len(body)) + body + numbers(24)
    yield "file_2", b"\x93NUMPY\2\0" + struct.pack("<I", len(body)) + body + numbers(24)
    yield "deep", b"{'shape': " + b"(" * NESTED


def session_seeds():
    mask = {"causal": True, "window": 3, "prefix": None, "padding": [1, 2], "painted": [[0, 1], [3, 2]]}
    session = {
        "version": 1, "sentence": SENTENCE, "target": "[begin] das Tier", "batch": [], "sequence": 0,
        "tokenizer": "word", "architecture": ARCHITECTURE, "task": "", "model": "copying",
        "training": {"steps": 10, "batch_size": 4, "learning_rate": 0.005},
        "attention": {**mask, "scale": True, "temperature": 1.5, "softmax": "keys", "mask_value": "inf",
                      "target_mask": mask, "cross_mask": {"padding": [0]}, "train": True, "dropout": 0.1,
                      "dropout_seed": 18446744073709551615},
        "sampling": {"greedy": False, "temperature": 0.7, "top_k": 3, "top_p": 0.9, "seed": 1},
        "picture": {"sequential": "viridis", "diverging": "blue_orange", "range": "row", "fixed_low": -1e-3,
                    "fixed_high": 2.5, "transfer": "gamma", "gamma": 0.5, "numbers": True,
                    "line_threshold": 0.1, "theme": "dark"},
        "selection": {"view": "heads", "stage": "encoder.layers.0.self.heads.0.raw", "stack": "encoder",
                      "layer": 0, "attention": "self", "head": 1, "token": 2,
                      "pin": {"stage": "encoder.layers.0.self.heads.1.weights", "row": 1, "col": 2}}}
    yield "whole", json.dumps(session).encode()
    yield "least", b'{"version":1}'
    batch = {**session, "batch": ["one two", "three", "\u00e4\u20ac\U0001f600"], "sequence": 2, "tokenizer": "seed1"}
    yield "batch", json.dumps(batch, ensure_ascii=False).encode()
    two = {**session, "architecture": {**ARCHITECTURE, "stacks": "encoder-decoder", "layers": 2, "d_head": 3}}
    yield "two_stacks", json.dumps(two).encode()
    yield "architecture", json.dumps(ARCHITECTURE).encode()
    yield "settings", json.dumps({"version": 1, "ui_scale": 1.5, "window": {"width": 900, "height": 1e3},
                                  "export_folder": "pictures", "session": session}).encode()
    yield "deep_open", b"[" * NESTED
    yield "deep_list", nested()
    yield "deep_object", b'{"session":' * NESTED + b"{" + b"}" * (NESTED + 1)
    yield "deep_field", nested(b'{"version":1,"sentence":', b"}")
    yield "deep_unknown", nested(b'{"version":1,"unknown":', b"}")
    yield "deep_settings", nested(b'{"version":1,"session":', b"}")
    yield "deep_in_settings", nested(b'{"version":1,"session":{"version":1,"unknown":', b"}}")


def model_folder_seeds():
    words = ["[pad]", "[blank]", "[begin]", "[end]", "[new0]", "[new1]", "the", "animal", "it"]
    vocabulary = "".join(word + "\n" for word in words).encode()
    config = {"model_type": "headscope", "version": 1, "architecture": ARCHITECTURE, "task": "pronouns", "steps": 3,
              "shows": {"layer": 0, "head": 1}, "held_out_accuracy": 0.5, "vocabulary_size": len(words)}

    def described(**changes):
        return json.dumps({**config, "task": "", "architecture": {**ARCHITECTURE, **changes}}).encode()

    yield "fitting", json.dumps(config).encode() + b"\0" + vocabulary + b"\0"
    for positions in ("none", "split", "learned", "rotary", "relative", "alibi"):
        yield "positions_" + positions, described(positions=positions) + b"\0" + vocabulary + b"\0"
    yield "decoder", described(stacks="decoder", norm="post", output_layer="linear") + b"\0" + vocabulary + b"\0"
    yield "two_stacks", described(stacks="encoder-decoder", layers=2) + b"\0" + vocabulary + b"\0"
    yield "widths", described(d_head=3, d_value=5, output_layer="none") + b"\0" + vocabulary + b"\0"
    huge = described(d_model=1024, heads=16, layers=24, d_ff=4096, stacks="encoder-decoder")
    yield "huge", huge + b"\0" + vocabulary + b"\0" + struct.pack("<Q", 2) + b"{}"
    header, size = safetensors_header({"embedding.table": [len(words), 8]})
    weights = struct.pack("<Q", len(header)) + header + numbers(size)
    yield "other_weights", described() + b"\0" + vocabulary + b"\0" + weights
    yield "empty_lines", described() + b"\0" + b"\n" * 10_000 + b"\0"
    yield "deep_config", nested() + b"\0" + vocabulary + b"\0"
    for field in ("architecture", "task", "shows", "steps", "held_out_accuracy", "unknown"):
        text = json.dumps({**config, field: None}).encode()
        deep = f'"{field}": '.encode()
        yield "deep_" + field, text.replace(deep + b"null", nested(deep)) + b"\0" + vocabulary + b"\0"
    yield "deep_weights", described() + b"\0" + vocabulary + b"\0" + struct.pack("<Q", 2 * NESTED) + nested()


def vocabulary_seeds():
    yield "special", b"[pad]\n[blank]\n[begin]\n[end]\n[new0]\n[new1]\nthe\ncat\n"
    yield "returns", b"the\r\ncat\r\nunknown"
    yield "twice", b"the\ncat\nthe\n"
    yield "empty_word", b"the\n\ncat\n"
    yield "letters", "\u00e4rger\n\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2\n\U0001f600\n".encode()
    yield "no_utf8", b"\xff\xfe\n\xc3\n"
    yield "controls", b"a\x1b[31mb\na\x1b[31mb\n"
    yield "lines", b"\n" * 100_000


def text_seeds():
    yield "sentence", (SENTENCE + "\0" + SENTENCE.replace("tired", "wide")).encode()
    yield "marks", "“Don’t!” — (yes) …¿no? „a“ «b»;c:d.".encode()
    yield "blanks", b"___ _ a___ __b"
    yield "task", b"cat moon egg cat moon"
    yield "spaces", "a\u00a0b\u2003c\u200bd\ufeffe\tf\ng\x1fh".encode()
    yield "edges", "\ufffe\uffff\U0010ffff\u0000\ud7ff\ue000\U00010000".encode()
    yield "no_utf8", b"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82 \xff"
    for i, number in enumerate((b"1e-7", b"-inf", b"nan", b"18446744073709551615", b"0.999600", b"1280x800")):
        yield f"number_{i}", number
    yield "path", b"encoder.layers.0.self.heads.3.weights"
    yield "long", b"a b c d e f g h " * 100 + b"\0" + b"a c b d e g f h " * 100


def mask_seeds():
    def npy(descr, shape, data):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data

    sizes = bytes([3, 3, 1, 0, 0, 0])  # 4 queries, 4 keys, 2 heads
    batch = bytes([3, 3, 1, 1, 1, 1])  # the same in a batch of 2, and 1e9
    boolean = npy("|b1", "(4, 4)", bytes((i * 7) % 3 != 0 for i in range(16)))
    low = struct.pack("<f", float("-inf")) + struct.pack("<f", 0.0) + struct.pack("<f", -2.5) + struct.pack("<f", 1.5)
    added = npy("<f4", "(4, 4)", low * 4)
    yield "words", sizes + b"causal\nwindow:2\npadding:0,3\npainted:1.2,3.3\0"
    yield "prefix", sizes + b"prefix:2\0"
    yield "none", sizes + b"causal\nnone\nwindow:0\0"
    yield "refused", sizes + b"padding:9\0"
    yield "boolean", sizes + b"mask.npy\ncausal\0" + boolean
    yield "added", sizes + b"mask.npy\nmask.npy\0" + added
    yield "one_row", sizes + b"mask.npy\0" + npy("<i8", "(1, 4)", struct.pack("<4q", 1, 0, 1, 0))
    yield "heads", sizes + b"mask.npy\0" + npy("|b1", "(2, 4, 4)", bytes(i % 2 for i in range(32)))
    yield "sequences", batch + b"mask.npy\0" + npy("<f4", "(2, 1, 4, 4)", low * 8)
    yield "either", batch + b"mask.npy\0" + npy("|b1", "(2, 4, 4)", bytes(32))
    yield "large", sizes + b"mask.npy\0" + npy("<f4", "(1, 4)", struct.pack("<4f", 3e38, -3e38, 0.5, 1e-40))
    yield "beyond_int", sizes + b"window:99999999999\0"


def command_line_seeds():
    lines = (
        "render --out a.png --size 300x300 --scale 1",
        "render --out a.svg --model untrained --mask causal --head all",
        "render --out a.pdf --model untrained --stage all --theme dark --no-numbers",
        "render --out a.svg --model copying --diagram",
        "render --out a.svg --batch batch.txt --sequence 1 --range 0:1 --transfer gamma:0.5 --colors viridis",
        "render --out a.svg --stacks encoder-decoder --attention cross --target [begin] --cross-mask window:1",
        "trace --out t.safetensors --model untrained --layers 2 --norm pre --d-ff 16",
        "trace --out folder --model untrained --d-model 8 --heads 2 --no-bias=q,k",
        "trace --out w.csv --stage weights --head 1 --batch batch.txt",
        "trace --out w.npy --stage encoder.layers.0.self.heads.2.raw",
        "trace --out t.safetensors --weights w.safetensors --input x.npy --heads 2 --format auto",
        "explain --row it --column animal --model pronouns",
        "explain --row the:1 --column 5 --stage query --head 1",
        "explain --output-layer tied --stage probabilities --row 0 --column 0 --dropout 0.5 --dropout-seed 3",
        "info --model untrained --positions rotary --d-head 8 --d-value 6",
        "info --preset Untrained --seed 7 --init scaled --softmax queries --attention-temperature 2",
        "tokenize --batch batch.txt",
        "tokenize --tokenizer seed1 --sentence the",
        "train --task reversing --out small --steps 1",
        "train --task reversing --out small --learning-rate 0.1 --weight-decay 0.5",
        "copying --view",
        "--screenshot w.png --size 800x600 --ui-scale 2 --theme dark",
        "--help",
        "render --help",
        "--version",
        "rendr",
        "render --out a.png --mask nowhere.npy --hedas 3")
    for i, line in enumerate(lines):
        words = line.split() + (["--sentence", SENTENCE] if "--batch" not in line and i % 2 == 0 else [])
        yield f"line_{i:02}", "".join(word + "\0" for word in words).encode() + b"The cat sat\nIt was ___ wide , too\n"
    yield "no_arguments", b""
    yield "no_utf8", b"tokenize\0--sentence\0a \xff b\0"
    yield "controls", b"tokenize\0--sentence\0a\x1b[31mb\x07\0"
    yield "odd_option", b"render\0--\x1b[31m\0"
    yield "long_batch", b"tokenize\0--batch\0batch.txt\0" + b"a b c\n" * 2000


def picture_seeds():
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    command = b"headscope render --sentence 'it'\\''s so' --out $'a\\x1b\\\\b'"
    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 6, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(2 * (1 + 2 * 4)))) + chunk(b"IEND", b"")
    yield "png", head + chunk(b"tEXt", b"Command\0" + command) + pixels
    yield "utf8", head + chunk(b"iTXt", b"Command\0\0\0\0\0" + "größer".encode()) + pixels
    yield "no_pixels", head
    for name in (b"iTXt", b"zTXt", b"tEXt", b"iCCP", b"eXIf"):
        yield "long_" + name.decode(), head + struct.pack(">I", 0x72B60D24) + name + b"Command\0 and no more"
    yield "svg", b"<svg>\n<desc>Software: headscope\nCommand: a &lt; b &amp; c</desc></svg>"
    yield "command", b"\0" + command
    yield "batch", b"\0printf '%s\\n' 'one two' three | " + command


def matrix_text_seeds():
    texts = {
        "spreadsheet": "1\t0\r\n0\t-1e-05\r\n", "csv": "query \\ key,[begin],\"a,b\"\r\nit,0.5,-inf\r\nwas,1,2\r\n",
        "semicolons": "0,5;1,25\n-2;3,0\n", "commas": "1, 2\n3, 4", "spaces": " 1. 0.\n 0. 1.\n",
        "numpy": "[[1. 0.]\n [0. 1.]]", "array": "np.array([[1.0, 0.0],\n          [0.0, -np.inf]], dtype=np.float32)",
        "tensor": "tensor([[1., 0.],\n        [0., 1.]], device='cuda:0', grad_fn=<AddBackward0>)",
        "python": "[[1, 0], [0, float(\"-inf\")],]", "tuples": "((1, 0), (0, 1))", "deep": "[[[1, 0], [0, 1]]]",
        "left_out": "[[0. 1. ... 8. 9.]\n ...\n [1. 2. ... 3. 4.]]", "matlab": "W = [1 0; 0 1];",
        "matlab_lines": "1, 0;\n0, 1;\n", "two_ways": "1,5;2,5", "tabs_commas": "1,234\t0,5",
        "latex": "\\[ W = \\begin{bmatrix} 1 & \\frac{1}{3} \\\\[2pt] "
                 "\\hline 0{,}5 & 2\\times10^{-7} \\end{bmatrix} \\]",
        "latex_array": "\\left[\\begin{array}{c|c} 1 & 0 \\\\ 0 & -\\infty \\end{array}\\right]",
        "body": "1 & 0 \\\\ 0 & 1",
        "labels": "\tThe\t\"a\tb\"\nThe\t1\t2\n\"say \"\"x\"\"\"\t3\t4\n"}
    for name, text in texts.items():
        yield name, text.encode()
    yield "deep_open", b"[" * NESTED
    yield "deep_list", nested()
    yield "quotes", b'"' * 10_000 + b',"' * 10_000
    yield "large", b"\t".join(b"%.7g" % (i / 7.0) for i in range(3000))
    yield "no_utf8", b"1 \xff\xfe 2"


def lesson_seeds():
    yield "whole", (
        b"# Title\n\nAbout *it*.\n\n## One\n\n```scene\n--mask causal\n```\n\n1. one\n   - **two**\n\n`q k`\n\n"
        b"[x](https://a.b) [y](z.md)\n\n```\nM = Q K\n```\n\n```focus\ncell weights it animal\nrow it\nhead 0.1\n"
        b"control attention.causal\n```\n\n## Two\n\n```ask\nDo it.\nexpect: setting attention.causal = on and "
        b"weights(0.0, it, the:1) > 0.5\nwrong: page = heads -> no\nhint: h\nreveal: r\nshow: --mask causal\n```\n")
    for name, mark in {"quotations": b"> ", "lists": b"- ", "emphasis": b"*a ", "links": b"[", "code": b"`"}.items():
        yield "nested_" + name, b"# A\n## B\n" + mark * NESTED + b"x\n"
    for i, condition in enumerate([b"entropy(0.0) < 0.5", b"strongest(0.0, it) = animal", b"cover = answered",
                                   b"steps > 3", b"setting sentence contains \"a and b\"", b"cell = it animal",
                                   b"encoder.layers.0.self.heads.0.weights(7, 1) != 0"]):
        yield f"condition_{i}", b"# A\n## B\n```ask\nQ\nexpect: " + condition + b"\nreveal: r\n```\n"


def worked_example_seeds():
    for file in sorted((Path(__file__).parents[2] / "assets" / "textbooks").glob("*.json")):
        yield file.stem, file.read_bytes()
    quantity = {"name": "q", "title": "Q", "stage": "weights", "digits": 2, "printed": [[0.5, 0.5], ["-inf", 1e30]]}
    example = {"version": 1, "author": "a", "title": "t", "where": "w", "heading": "h", "shows": "s.",
               "session": {"sentence": "a b c", "architecture": {"d_model": 4, "heads": 2}}, "quantities": [quantity]}
    changes = {"rows": {"rows": [2, 0], "columns": [1, 1]}, "far": {"rows": [2_000_000]},
               "sum": {"then": ["shares", "sum"]}, "argmax": {"then": "argmax"}, "times": {"times": 1e300, "digits": 0},
               "several": {"stage": ["weights", "masked", "encoder.layers.0.self.heads.1.raw"], "then": "shape"}}
    for name, change in changes.items():
        yield name, json.dumps({**example, "quantities": [{**quantity, **change}]}).encode()
    for name, origin in {
            "visible": {"visible": "masked"}, "candidates": {"candidates": "logits", "after": 1},
            "tile": {"tile": {"of": "output", "step": 2}},
            "count": {"count": {"kinds": ["W_Q"], "under": "encoder.layers.0.", "words": 2_000_000_000}},
            "cache": {"cache": [{"layers": 2_147_483_647, "tokens": 2_147_483_647, "batch": 2_147_483_647,
                                 "kv_heads": 2_147_483_647, "windows_a_group": 3, "window": 7}]}}.items():
        yield name, json.dumps({**example, "quantities": [{"name": "q", "title": "Q", "digits": 0, **origin}]}).encode()
    sizes = {**example["session"], "sizes": {"layers": 1024, "heads": 1024, "d_head": 1048576}}
    yield "sizes", json.dumps({**example, "session": sizes, "quantities": [
        {"name": "q", "title": "Q", "count": {}}]}).encode()
    cases = [{"name": str(i), "changes": {"sentence": "a " * i}} for i in range(1, 5)]
    yield "cases", json.dumps({**example, "cases": cases, "quantities": [
        {**quantity, "case": ["1", "3"], "rows": [0]}]}).encode()
    yield "list", b"[]"
    yield "deep_unknown", nested(b'{"version":1,"unknown":', b"}")


def tokenizer_json_seeds():
    words = {"[UNK]": 0, "a": 1, "##b": 2, "b": 3, "ab": 4, "▁a": 5, "<0xC3>": 6, "Ġa": 7}
    models = {
        "bpe": {"type": "BPE", "vocab": words, "merges": [["a", "b"]], "unk_token": "[UNK]", "byte_fallback": True},
        "bpe_texts": {"vocab": {**words, "a##b": 8}, "merges": ["#version: 0.2", "a ##b"], "fuse_unk": True},
        "word_piece": {"type": "WordPiece", "vocab": words, "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 5},
        "unigram": {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.5], ["ab", -2]], "unk_id": 0},
        "word_level": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}}
    normalizers = [{"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")]
    normalizers += [
        {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
        {"type": "Strip", "strip_left": True, "strip_right": True}, {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"Regex": "\\s+|(?:[a-c&&[^b]])*"}, "content": "▁"}, {"type": "ByteLevel"},
        {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}]
    splits = [{"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation")]
    splits += [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"},
        {"type": "Digits", "individual_digits": True}, {"type": "CharDelimiterSplit", "delimiter": "x"},
        {"type": "Split", "pattern": {"Regex": "\\p{L}{1,3}+|(?i:'s)|\\b"}, "behavior": "MergedWithNext", "invert": True}]
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}},
                                                         {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"x": {"id": "x", "ids": [0], "tokens": ["x"]}}}
    decoders = [{"type": "ByteLevel"}, {"type": "ByteFallback"}, {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 1}, {"type": "BPEDecoder", "suffix": "</w>"},
                {"type": "WordPiece", "prefix": "##", "cleanup": True},
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}]
    token = {"id": 0, "content": "<x>", "single_word": True, "lstrip": True, "rstrip": True, "normalized": True,
             "special": True}
    text = "\0a <x>  ab'S café\n漢字 12\xff".encode("latin-1", "ignore") + "é▁ａ".encode()
    for name, model in models.items():
        yield name, json.dumps({"version": "1.0", "model": model, "added_tokens": [token]}).encode() + text
    for kind, key, steps in (("normalizer", "normalizers", normalizers), ("pre_tokenizer", "pretokenizers", splits),
                             ("decoder", "decoders", decoders)):
        for i, step in enumerate([*steps, {"type": "Sequence", key: steps}]):
            yield f"{kind}_{i}", json.dumps({"model": models["bpe"], kind: step}, ensure_ascii=False).encode() + text
    for i, processor in enumerate([
            template, {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 2]},
            {"type": "RobertaProcessing", "sep": ["s", 1], "cls": ["c", 2], "trim_offsets": True,
             "add_prefix_space": True}]):
        yield f"processor_{i}", json.dumps({"model": models["bpe"], "post_processor": processor}).encode() + text
    yield "deep_normalizer", nested(b'{"normalizer": ', b"}")


def sentencepiece_seeds():
    def varint(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    def field(number, value):
        if isinstance(value, bytes):
            return varint(number << 3 | 2) + varint(len(value)) + value
        return varint(number << 3) + varint(value)

    def piece(text, score, kind):
        return field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + field(3, kind))

    pieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3)
    pieces += b"".join(piece(text, -i, 1) for i, text in enumerate(["▁", "a", "b", "ab", "▁a", "▁ab"]))
    text = "a b  abé".encode()
    start = bytes([len(text)]) + text
    for name, algorithm in (("unigram", 1), ("bpe", 2), ("word", 3)):
        yield name, start + pieces + field(2, field(3, algorithm)) + field(3, field(3, 1) + field(4, 1))
    yield "users", start + pieces + piece("b  a", 0, 4) + piece("ba", -1, 5) + field(2, field(3, 2))
    all_bytes = b"".join(piece(f"<0x{byte:02X}>", 0, 6) for byte in range(256))
    yield "bytes", start + pieces + all_bytes + field(2, field(3, 1) + field(35, 1))
    # A double-array trie that replaces "a" by "b".
    units = [0] * 256
    units[0], units[97], units[96] = 0, 97 | 1 << 8 | 1 << 10, 1 << 31
    blob = struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + b"b\0"
    yield "map", start + pieces + field(3, field(2, blob) + field(5, 0))
    yield "suffix", start + pieces + field(2, field(24, 1))
    yield "ranks", b"\4qwen" + b"YQ== 0\nYWI= 1\n"
    yield "cut_off", start + pieces[:40]


def torch_file_seeds():
    fixtures = Path(__file__).parent.parent / "fixtures" / "checkpoints"
    for form in ("zip", "legacy"):
        yield form, (fixtures / f"{form}.bin").read_bytes()
    yield "call", b"cposix\nsystem\n(X\x02\0\0\0lstR."
    yield "itself", b"}q\x01X\x01\0\0\0ah\x01s.\x80\x02]."
    yield "marks", b"(" * NESTED + b"t" * NESTED + b"."


def checkpoint_files_seeds():
    header, size = safetensors_header({"a": [2, 3], "b": [4]})
    yield "two", b'{"weight_map":{"a":"one.safetensors","b":"one.safetensors"}}\0' + header + b"\0" + numbers(size)
    types = {"h": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
             "b": {"dtype": "BF16", "shape": [2], "data_offsets": [4, 8]},
             "i": {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]}}
    yield "types", b'{"weight_map":{"h":"one.safetensors"}}\0' + json.dumps(types).encode() + b"\0" + numbers(16)
    yield "outside", b'{"weight_map":{"a":"../one.safetensors"}}\0' + header + b"\0" + numbers(size)


def capture_seeds():
    def file(tensors, metadata=None, n_bytes=None):
        header, size = safetensors_header(tensors, metadata)
        data = b"".join(struct.pack("<f", 0.25 * (i % 5)) for i in range(size // 4))
        return header + b"\0" + data[:n_bytes]

    tokens = {"tokens": json.dumps(["a", " b", "<s>"]), "name": "seed"}
    yield "weights", file({"attentions": [2, 2, 3, 3]}, tokens)
    yield "with_values", file({"attentions": [1, 2, 3, 3], "values": [1, 1, 3, 2], "hidden_states": [2, 3, 4]}, tokens)
    yield "queries", file({"queries": [1, 2, 3, 2], "keys": [1, 1, 3, 2], "scale": [1], "mask": [3, 3]}, tokens)
    yield "cross", file({"attentions": [1, 1, 3, 2]}, {**tokens, "source_tokens": json.dumps(["x", "##y"])})
    yield "cut", file({"attentions": [1, 1, 3, 3]}, tokens, 20)
    yield "huge", file({"attentions": [1, 1, 0, 3]}, tokens)
    yield "json", json.dumps({"tokens": ["a", "b"], "attention": [[[1.0, 0.0], [0.5, 0.5]]]}).encode()


def foreign_config_seeds():
    configs = {
        "gpt2": {"model_type": "gpt2", "n_layer": 1, "n_embd": 64, "n_head": 4, "vocab_size": 64, "n_positions": 8},
        "llama": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 64,
                  "rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
        "gemma3": {"model_type": "gemma3", "text_config": {"hidden_size": 64, "vocab_size": 64}},
        "gpt_neo": {"model_type": "gpt_neo", "num_layers": 4, "attention_types": [[["global", "local"], 2]],
                    "vocab_size": 64},
        "t5": {"model_type": "t5", "d_model": 64, "feed_forward_proj": "gated-gelu", "vocab_size": 64},
        "bert": {"model_type": "bert", "hidden_size": 64, "vocab_size": 64},
        "layer_types": {"model_type": "qwen3", "num_hidden_layers": 2, "use_sliding_window": True, "vocab_size": 64,
                        "layer_types": ["sliding_attention", "full_attention"]},
        "quantised": {"model_type": "llama", "quantization_config": {"quant_method": "gptq", "bits": 4}}}
    for name, config in configs.items():
        yield name, json.dumps(config).encode()


def gguf_seeds():
    def text(value):
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def value(content):
        """The type of a value of the metadata and its bytes."""
        if isinstance(content, bool):
            return 7, struct.pack("<?", content)
        if isinstance(content, int):
            return 4, struct.pack("<I", content)
        if isinstance(content, float):
            return 6, struct.pack("<f", content)
        if isinstance(content, str):
            return 8, text(content)
        kinds = [value(each) for each in content]
        return 9, struct.pack("<IQ", kinds[0][0], len(kinds)) + b"".join(each for _, each in kinds)

    def file(metadata, tensors, version=3):
        """Tensors by name: their shape from the innermost axis on, and the number of their type."""
        sizes = {0: (1, 4), 1: (1, 2), 8: (32, 34), 12: (256, 144), 16: (256, 66)}
        head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
        for key, content in metadata.items():
            kind, content = value(content)
            head += text(key) + struct.pack("<I", kind) + content
        data = b""
        for name, (shape, kind) in tensors.items():
            size = sizes[kind][1]
            for side in shape:
                size *= side
            head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
            head += struct.pack("<IQ", kind, len(data))
            data += numbers(-(-size // sizes[kind][0] // 32) * 32)
        return head + bytes(-len(head) % 32) + data

    sizes = {"block_count": 1, "embedding_length": 32, "feed_forward_length": 32, "attention.head_count": 4,
             "context_length": 16, "attention.layer_norm_rms_epsilon": 1e-5}
    llama = {"general.architecture": "llama", **{f"llama.{key}": size for key, size in sizes.items()}}
    pieces = ["<unk>", "<s>", "</s>", "▁", "a", "▁a", "e", "an", "[SEP]"]
    spm = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces,
           "tokenizer.ggml.scores": [float(-i) for i in range(len(pieces))],
           "tokenizer.ggml.token_type": [2, 3, 3, 1, 1, 1, 1, 1, 4], "tokenizer.ggml.bos_token_id": 1}
    table = {"token_embd.weight": ([32, 9], 8), "output_norm.weight": ([32], 0)}
    layer = {f"blk.0.{name}.weight": ([32, 32], 8 if name == "ffn_up" else 0)
             for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")}
    norms = {f"blk.0.{name}.weight": ([32], 0) for name in ("attn_norm", "ffn_norm")}
    yield "llama", file({**llama, **spm}, {**table, **layer, **norms})
    yield "version_2", file({**llama, "general.alignment": 32}, {**table, **layer, **norms}, 2)
    yield "qwen2", file({"general.architecture": "qwen2", **{f"qwen2.{key}": size for key, size in sizes.items()}}, table)
    yield "blocks", file({"general.architecture": "test"}, {"a": ([256, 2], 12), "b": ([5], 1), "c": ([], 0)})
    yield "unsupported", file(llama, {"a": ([256], 16)})
    bpe = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a", "n", "an", "Ġ", "Ġan", "<s>"],
           "tokenizer.ggml.token_type": [1, 1, 1, 1, 1, 3], "tokenizer.ggml.merges": ["a n", "Ġ an"],
           "tokenizer.ggml.bos_token_id": 5, "tokenizer.ggml.add_bos_token": True}
    for name in ("default", "gpt-2", "llama-bpe", "qwen2", "starcoder", "falcon", "deepseek-coder", "unheard-of"):
        yield "bpe_" + name, file({**bpe, "tokenizer.ggml.pre": name}, {})
    yield "bert", file({"tokenizer.ggml.model": "bert", "tokenizer.ggml.cls_token_id": 1,
                        "tokenizer.ggml.tokens": ["[UNK]", "[CLS]", "[SEP]", "▁the", "▁a", "n", "im"]}, {})


SEEDS = {"fuzz_gguf": gguf_seeds, "fuzz_capture": capture_seeds, "fuzz_torch_file": torch_file_seeds, "fuzz_checkpoint_files": checkpoint_files_seeds,
         "fuzz_foreign_config": foreign_config_seeds,
         "fuzz_tokenizer_json": tokenizer_json_seeds, "fuzz_sentencepiece": sentencepiece_seeds,
         "fuzz_worked_example": worked_example_seeds, "fuzz_lesson": lesson_seeds,
         "fuzz_safetensors": safetensors_seeds, "fuzz_npy": npy_seeds, "fuzz_session": session_seeds,
         "fuzz_model_folder": model_folder_seeds, "fuzz_vocabulary": vocabulary_seeds, "fuzz_text": text_seeds,
         "fuzz_masks": mask_seeds, "fuzz_command_line": command_line_seeds,
         "fuzz_pictures": picture_seeds, "fuzz_matrix_text": matrix_text_seeds}


def main():
    for harness, seeds in SEEDS.items():
        folder = Path(sys.argv[1]) / harness
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
