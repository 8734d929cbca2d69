#!/usr/bin/python3
# headscope train --text and headscope write: held-out bits per character against a forward pass in NumPy, an
# interrupted run against one that was not, and what is refused.
# Needs: program python3-numpy
"""The model is tiny, and so is its text, so that a run takes seconds."""

import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HEADSCOPE = os.environ["HEADSCOPE"]
SIZES = ["--layers", "2", "--d-model", "32", "--heads", "4", "--kv-heads", "2", "--d-ff", "48", "--pieces", "600",
         "--context", "32", "--batch-size", "8"]
WORDS = "the a hen goose cat dog saw found ate ran and then but corn egg red blue big who that it was happy sad".split()


def check(what, is_right, why=""):
    print(f"{'ok' if is_right else 'not ok'} - {what}")
    if not is_right:
        print("# " + str(why)[:3000].replace("\n", "\n# "))


def stories(seed, n):
    rng = random.Random(seed)
    return ["\n\n".join(" ".join(rng.choices(WORDS, k=rng.randrange(4, 12))).capitalize() + rng.choice(".!?")
                        for _ in range(rng.randrange(1, 9))) for _ in range(n)]


def headscope(*arguments):
    return subprocess.run([HEADSCOPE, *map(str, arguments)], check=False, text=True, capture_output=True)


def tensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    types = {"F16": np.float16, "F32": np.float32}
    return {name: np.frombuffer(data[8 + size:][entry["data_offsets"][0]:entry["data_offsets"][1]],
                                types[entry["dtype"]]).reshape(entry["shape"]).astype(np.float64)
            for name, entry in header.items() if name != "__metadata__"}


def logits(folder, ids):
    """A Llama model's logits in float64, from its files alone."""
    c = json.loads((folder / "config.json").read_text())
    w = tensors(folder / "model.safetensors")
    n_heads, n_kv, width = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]

    def norm(x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + c["rms_norm_eps"]) * w[name]

    def rotate(x):
        angles = np.outer(np.arange(len(x)), c["rope_theta"] ** (-np.arange(0, width, 2) / width))
        cos, sin = (np.concatenate([f(angles)] * 2, -1)[:, None] for f in (np.cos, np.sin))
        return x * cos + np.concatenate([-x[..., width // 2:], x[..., :width // 2]], -1) * sin

    x = w["model.embed_tokens.weight"][ids]
    hidden = np.triu(np.full((len(ids), len(ids)), -np.inf), 1)
    for layer in range(c["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        h = norm(x, prefix + "input_layernorm.weight")
        q, k, v = ((h @ w[f"{prefix}self_attn.{name}_proj.weight"].T).reshape(len(ids), -1, width) for name in "qkv")
        q, k = rotate(q), rotate(k)
        heads = []
        for head in range(n_heads):
            scores = q[:, head] @ k[:, head * n_kv // n_heads].T / np.sqrt(width) + hidden
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            heads.append(weights / weights.sum(-1, keepdims=True) @ v[:, head * n_kv // n_heads])
        x = x + np.concatenate(heads, -1) @ w[prefix + "self_attn.o_proj.weight"].T
        h = norm(x, prefix + "post_attention_layernorm.weight")
        gate = h @ w[prefix + "mlp.gate_proj.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ w[prefix + "mlp.up_proj.weight"].T)) @ w[
            prefix + "mlp.down_proj.weight"].T
    return norm(x, "model.norm.weight") @ w["model.embed_tokens.weight"].T


def bits_per_character(folder, texts, context):
    """Each text follows <s>, in windows that advance by half the context. </s> is predicted at its end."""
    nats = 0.0
    for text in texts:
        # A batch holds lines, and these texts have several. Each is tokenized as a sentence of its own file.
        done = headscope("tokenize", "--tokenizer", folder, "--special", "--format", "ids", "--sentence", text)
        ids = [int(each) for each in done.stdout.split()] + [2]
        n_done, begin = 0, 0
        while n_done < len(ids) - 1:
            window = ids[begin:min(begin + context, len(ids) - 1)]
            rows = logits(folder, window)
            logs = rows - rows.max(-1, keepdims=True)
            logs = logs - np.log(np.exp(logs).sum(-1, keepdims=True))
            for at in range(n_done - begin, len(window)):
                nats -= logs[at, ids[begin + at + 1]]
            n_done = begin + len(window)
            begin += context // 2
    return nats / np.log(2) / sum(map(len, texts))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        held_out = stories(2, 12)
        Path("a.txt").write_text("\n<|endoftext|>\n".join(stories(1, 150)), encoding="utf-8")
        Path("b.txt").write_text("\r\n<|endoftext|>\r\n".join(stories(3, 50)), encoding="utf-8", newline="")
        Path("held.txt").write_text("\n<|endoftext|>\n".join(held_out), encoding="utf-8")
        text = ["--text", "a.txt", "b.txt", "--held-out", "held.txt"]

        whole = headscope("train", *text, *SIZES, "--steps", 120, "--out", "whole")
        check("train writes a model of a text", whole.returncode == 0, whole.stderr)
        found = re.search(r"([\d.]+) bits per character", whole.stdout)
        expected = bits_per_character(Path("whole"), held_out, 32)
        check("its bits per character are those of NumPy", found and abs(float(found[1]) - expected) < 1e-4,
              f"{whole.stdout}\nNumPy: {expected}")
        check("it has learned something", expected < 3.2, expected)
        check("only the model's files are left", sorted(path.name for path in Path("whole").iterdir()) == [
            "config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer.model",
            "tokenizer_config.json"], list(Path("whole").iterdir()))

        run = subprocess.Popen([HEADSCOPE, "train", *text, *SIZES, "--steps", "100000", "--out", "cut"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        message = run.communicate(timeout=60)[1]
        check("an interrupted run exits 1 and says how to go on", run.returncode == 1 and "--continue" in message,
              message)
        refused = headscope("train", "--text", "a.txt", "--continue", "--out", "cut")
        check("it does not go on with another text", refused.returncode == 1 and "not the one" in refused.stderr,
              refused.stderr)
        refused = headscope("train", *text, "--out", "cut")
        check("it is not written over", refused.returncode == 2 and "--continue" in refused.stderr, refused.stderr)
        refused = headscope("train", *text[:2], "--held-out", "b.txt", "--continue", "--out", "cut")
        check("what is held out belongs to the text", "not the one" in refused.stderr, refused.stderr)
        refused = headscope("train", *text, "--continue", "--layers", "3", "--out", "cut")
        check("it keeps its options", refused.returncode == 2 and "--layers" in refused.stderr, refused.stderr)

        cut = {path.name: path.read_bytes() for path in Path("cut").iterdir()}

        def go_on(seconds, sent, **limits):
            """Goes on with the run for a while. Returns its exit status, its message, and whether its folder stayed."""
            again = subprocess.Popen([HEADSCOPE, "train", *text, "--continue", "--out", "cut"], text=True,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **limits)
            time.sleep(seconds)
            again.send_signal(sent)
            said = again.communicate(timeout=60)[1]
            return again.returncode, said, {path.name: path.read_bytes() for path in Path("cut").iterdir()} == cut

        status, message, stays = go_on(1.5, signal.SIGKILL)
        check("a killed run leaves the last checkpoint as it was", stays and status == -signal.SIGKILL, message)
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
        status, message, stays = go_on(1.5, signal.SIGINT, **limited)
        check("a run without room for a checkpoint says so and keeps the last one",
              stays and status == 1 and "File too large" in message and "cut" in message, message)
        status, message, stays = go_on(1.5, signal.SIGINT)
        check("the run goes on from there", not stays and status == 1 and "--continue" in message, message)
        no_room = subprocess.run([HEADSCOPE, "train", *text, *SIZES, "--steps", "3", "--out", "no"], check=False,
                                 text=True, capture_output=True, **limited)
        check("a model for which there is no room leaves nothing behind", no_room.returncode == 1 and
              "File too large" in no_room.stderr and not any(Path().glob("*no*")), no_room.stderr)

        # A run of as many steps that is interrupted halfway.
        steps = 400
        first = subprocess.Popen([HEADSCOPE, "train", *text, *SIZES, "--steps", str(steps), "--out", "halves"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.7)
        first.send_signal(signal.SIGTERM)
        first.wait(60)
        is_cut = Path("halves/training.safetensors").exists()
        rest = headscope("train", *text, "--continue", "--out", "halves")
        uncut = headscope("train", *text, *SIZES, "--steps", steps, "--out", "uncut")
        same = Path("halves/model.safetensors").read_bytes() == Path("uncut/model.safetensors").read_bytes()
        check("a continued run gives the bytes of one that was not interrupted" if is_cut
              else "the same run gives the same bytes", same and uncut.returncode == 0,
              rest.stderr + uncut.stderr)

        words = headscope("train", *text, *SIZES[:-6], "--pieces", "words", "--steps", 20, "--context", 32, "--out",
                          "words")
        check("whole words are pieces", words.returncode == 0 and "▁goose" in Path("words/tokenizer.json").read_text(),
              words.stderr)

        further = headscope("train", "--text", "b.txt", "--held-out", "held.txt", "--model", "./whole", "--steps", 1,
                            "--learning-rate", "1e-6", "--out", "further")
        still = re.search(r"([\d.]+) bits per character", further.stdout)
        check("a run begins with the weights and pieces of another model", still and abs(float(still[1]) - expected) < 1e-3
              and Path("further/tokenizer.json").read_bytes() == Path("whole/tokenizer.json").read_bytes()
              and "began as whole" in Path("further/config.json").read_text(), further.stdout + further.stderr)

        written = headscope("write", "--model", "./whole", "--sentence", "The hen", "--words", 5)
        check("write goes on from a sentence", written.stdout.startswith("The hen") and written.returncode == 0 and
              len(written.stdout.split()) <= 7, written.stdout + written.stderr)
        # Too many characters for each to be a piece, so that most are written byte by byte.
        rng = random.Random(6)
        Path("bytes.txt").write_text("".join(chr(rng.randrange(0x4E00, 0x5200)) for _ in range(9000)), encoding="utf-8")
        headscope("train", "--text", "bytes.txt", *SIZES[:-6], "--pieces", 518, "--context", 64, "--batch-size", 8,
                  "--steps", 600, "--out", "bytes")
        drawn = [headscope("write", "--model", "./bytes", "--sentence", "一", "--words", 2, "--temperature", 0.5,
                           "--seed", seed).stdout.strip() for seed in range(4)]
        check("write puts characters together from their bytes", all(
            sum(0x4E00 <= ord(each) < 0x5200 for each in text) >= 6 for text in drawn), drawn)
        drawn = [headscope("write", "--model", "./whole", "--sentence", "The hen", "--temperature", "1.5", "--seed",
                           seed).stdout for seed in (1, 1, 2)]
        check("the same seed draws the same words", drawn[0] == drawn[1] != drawn[2], drawn)
        long = [headscope("write", "--model", "./whole", "--sentence", "The hen", "--words", 500, "--temperature", 2,
                          "--seed", seed).stderr for seed in range(20)]
        check("write stops where the model's context ends",
              any("as long as the model reads: 32 tokens" in each for each in long), long)

        Path("empty.txt").write_text("")
        Path("word.txt").write_text("hen")
        Path("binary.txt").write_bytes(b"\0\1\2" * 100)
        Path("utf16.txt").write_text("The hen", encoding="utf-16")
        Path("latin.txt").write_bytes(b"caf\xe9 " * 500)
        Path("letter.txt").write_text("a" * 20000)
        Path("line.txt").write_text(" ".join(random.Random(4).choices(WORDS, k=5000)))
        os.mkfifo("pipe.txt")
        Path("full").mkdir()
        Path("full/thesis.txt").write_text("years")
        for arguments, code, pattern in [
                (["--text", "empty.txt"], 1, "empty.txt"), (["--text", "word.txt"], 1, "add more text"),
                (["--text", "letter.txt"], 1, "add more text"),
                (["--text", "binary.txt"], 1, "NUL"), (["--text", "utf16.txt"], 1, "UTF-16"),
                (["--text", "latin.txt"], 1, "byte 3 is not UTF-8"), (["--text", "missing.txt"], 1, "missing.txt"),
                (["--text", "pipe.txt"], 1, "pipe.txt"), (["--text", "a.txt", "--pieces", "12"], 2, "--pieces 12"),
                (["--text", "a.txt", "--context", "1"], 2, "--context 1"),
                (["--text", "a.txt", "--positions", "alibi"], 2, "Llama model"),
                (["--text", "a.txt", "--task", "copying"], 2, "--task and --text"),
                (["--text", "a.txt", "--model", "./whole", "--layers", "3"], 2, "brings its own sizes"),
                (["--text", "a.txt", "--model", "pronouns"], 1, "pronouns"),
                (["--continue"], 2, "--text FILE"), (["--text", "a.txt", "--continue"], 1, "cannot continue")]:
            done = subprocess.run([HEADSCOPE, "train", *arguments, "--out", "no"], check=False, text=True,
                                  capture_output=True, timeout=60)
            check("refused: " + " ".join(arguments), done.returncode == code and re.search(pattern, done.stderr) and
                  not Path("no/config.json").exists(), f"{done.returncode}: {done.stderr}")
        with Path("grows.txt").open("w", encoding="utf-8") as grows:
            grows.write("The hen saw the dog. " * 1_000_000)
            growing = subprocess.Popen([HEADSCOPE, "train", "--text", "grows.txt", "--out", "no"], text=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while growing.poll() is None:
                grows.write("It ran. ")
                grows.flush()
        message = growing.communicate()[1]
        check("a text that changes while it is read is refused", growing.returncode == 1 and
              "grows.txt': it changed while it was read" in message and not Path("no").exists(), message)
        done = headscope("train", *text, "--out", "full")
        check("other files are not written over", done.returncode == 1 and "other files" in done.stderr, done.stderr)
        done = headscope("train", "--text", "line.txt", *SIZES, "--steps", 3, "--out", "line")
        check("one endless line is a text", done.returncode == 0, done.stderr)
        Path("spaceless.txt").write_text("第一章 " + "".join(random.Random(5).choices("猫狗吃了看见红大小", k=4000)))
        done = headscope("train", "--text", "spaceless.txt", *SIZES, "--steps", 3, "--out", "spaceless")
        found = re.search(r"held out, (\d+) characters", done.stdout)
        check("of a text without spaces, a sixteenth is held out", found and 200 < int(found[1]) < 300,
              done.stdout + done.stderr)
        odd = os.fsencode(str(Path.cwd())) + b"/b\xfcch.txt"
        os.link("a.txt", odd)
        done = subprocess.run([HEADSCOPE, "train", "--text", odd, *SIZES, "--steps", "3", "--out", "odd"], check=False,
                              capture_output=True)
        check("a file may have any name", done.returncode == 0, done.stderr)


sys.dont_write_bytecode = True
main()
