#!/usr/bin/python3
# Compares ids with those of Hugging Face's own tokenizers, for random texts and a tokenizer of each kind.
# Needs: program
# Set: all
# Time limit: 900 s
"""Hugging Face's tokenizers come as an npm package, which is installed into the build folder. Without node, npm or the
network, the test is skipped. It makes tokenizers itself, and also uses the real ones of ../shared/reference if they
are there."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from random_texts import texts, word  # noqa: E402

ROOT = Path(os.environ["HEADSCOPE_ROOT"])
REFERENCE = ROOT.parent / "shared/reference"
PACKAGE = "@anush008/tokenizers@0.6.0"  # tokenizers 0.22.2
N_TEXTS = 10_000

ENCODE = """
const fs = require('fs');
const {Tokenizer} = require('@anush008/tokenizers');
(async () => {
  const tokenizer = Tokenizer.fromFile(process.argv[2]);
  const lines = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
  const ids = [];
  for (const line of lines) ids.push((await tokenizer.encode(line, null, {addSpecialTokens: true})).getIds());
  console.log(JSON.stringify(ids));
})();
"""


def package():
    """A folder with the package, or None."""
    folder = Path(os.environ.get("HEADSCOPE_BUILD") or ROOT / ".build") / "npm"
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    if not (folder / "node_modules/@anush008/tokenizers").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE],
                       check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    (folder / "encode.js").write_text(ENCODE, encoding="utf-8")
    check = "require('@anush008/tokenizers').Tokenizer"
    works = subprocess.run(["node", "-e", check], cwd=folder, check=False, capture_output=True).returncode == 0
    return folder if works else None


def byte_letters():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def bpe(rng, alphabet, words, n_merges, **options):
    """Byte-pair encoding of words, each a list of pieces. Joins the neighbours that occur together most often."""
    vocabulary = {piece: i for i, piece in enumerate(alphabet)}
    merges = []
    for _ in range(n_merges):
        counts = {}
        for parts in words:
            for pair in zip(parts, parts[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], rng.random()))
        merges.append(list(best))
        vocabulary.setdefault("".join(best), len(vocabulary))
        for parts in words:
            i = 0
            while i + 1 < len(parts):
                if (parts[i], parts[i + 1]) == best:
                    parts[i:i + 2] = ["".join(best)]
                i += 1
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocabulary, "merges": merges, **options}


def added(content, number, **options):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True, **options}


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def sequence(key, *steps):
    return {"type": "Sequence", key: list(steps)}


def template(first, last):
    def special(name):
        return [{"SpecialToken": {"id": name, "type_id": 0}}] if name else []

    names = [name for name in (first, last) if name]
    text = [{"Sequence": {"id": "A", "type_id": 0}}]
    return {"type": "TemplateProcessing", "single": special(first) + text + special(last),
            "pair": special(first) + text + special(last) + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [i], "tokens": [name]} for i, name in enumerate(names)}}


GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
        r"\s+(?!\S)|\s+")
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
KIMI = r"[\p{Han}]+|[\p{Lu}\p{Ll}\p{M}&&[^\p{Han}]]+|\p{N}{1,3}+|\w|\s+$|[[:punct:]]{,2}|\h+"


def tokenizers():
    """(name, tokenizer.json) of each kind."""
    rng = random.Random(7)
    letters = byte_letters()
    corpus = [word(rng) for _ in range(600)]
    in_bytes = [[letters[b] for b in (" " * (i % 3 > 0) + each).encode()] for i, each in enumerate(corpus)]
    byte_model = bpe(rng, letters.values(), in_bytes, 200)
    alphabet = ["<s>", "</s>", "<unk>", *(f"<0x{b:02X}>" for b in range(256)), "▁", *"abcdefghijklmnopqrstuvwxyzNIé中"]
    marked = [["▁", *each] for each in corpus]
    marked_model = bpe(rng, alphabet, marked, 200, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    suffixed = bpe(rng, ["<unk>", *"abcdefghiklmnoqrstu", *(c + "</w>" for c in "abcdefghiklmnoqrstu")],
                   [[*each[:-1], each[-1] + "</w>"] for each in corpus], 150, unk_token="<unk>", end_of_word_suffix="</w>")
    pieces = ["[CLS]", "[SEP]", "[UNK]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789!?.,'"]
    pieces += [*("##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"), *corpus, *("##" + each for each in corpus[:200])]
    word_piece = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 40,
                  "vocab": {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}}
    scored = dict.fromkeys(["<pad>", "</s>", "<unk>", "▁", *"abcdefghijklmnopqrstuvwxyz.,!?é中", *corpus,
                            *("▁" + each for each in corpus)])
    unigram = {"type": "Unigram", "unk_id": 2, "byte_fallback": False,
               "vocab": [[piece, 0.0 if i < 3 else -rng.uniform(1, 15)] for i, piece in enumerate(scored)]}

    def file(model, **parts):
        return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model, **parts}

    def byte_level(is_split, has_space=False):
        return {"type": "ByteLevel", "add_prefix_space": has_space, "trim_offsets": True, "use_regex": is_split}

    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True}
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}

    def metaspace(scheme, splits=True):
        return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": splits}

    def of_words(*steps, **parts):
        return file(marked_model, pre_tokenizer=sequence("pretokenizers", *steps), **parts)

    yield "GPT-2", file(byte_model, pre_tokenizer=byte_level(True), added_tokens=[added("<|endoftext|>", 456)])
    yield "RoBERTa", file(
        byte_model, pre_tokenizer=byte_level(True, True),
        added_tokens=[added("<s>", 0), added("</s>", 0), added("<mask>", 0, lstrip=True), added("the", 0, single_word=True)],
        post_processor={"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], "trim_offsets": True,
                        "add_prefix_space": True})
    yield "Llama 3", file({**byte_model, "ignore_merges": True},
                          pre_tokenizer=sequence("pretokenizers", split(GPT4), byte_level(False)))
    yield "Bloom", file(byte_model, pre_tokenizer=sequence("pretokenizers", split(BLOOM), byte_level(False)))
    yield "sets within sets", file(byte_model, pre_tokenizer=sequence("pretokenizers", split(KIMI), byte_level(False)))
    yield "Llama 2", file(marked_model, normalizer=sequence("normalizers", {"type": "Prepend", "prepend": "▁"}, space),
                          added_tokens=[added("<s>", 0), added("</s>", 1), added("<unk>", 2, normalized=True)],
                          post_processor=template("<s>", None))
    yield "Gemma", file(marked_model, normalizer=space,
                        pre_tokenizer={**split(" ", "MergedWithPrevious"), "pattern": {"String": " "}})
    yield "CLIP", file(suffixed, normalizer=sequence("normalizers", {"type": "NFC"}, {"type": "Lowercase"}),
                       pre_tokenizer=split(r"'s|'t|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+", "Removed", True))
    yield "BERT", file(word_piece, normalizer=bert, pre_tokenizer={"type": "BertPreTokenizer"},
                       added_tokens=[added(piece, i) for i, piece in enumerate(pieces[:4])],
                       post_processor=template("[CLS]", "[SEP]"))
    yield "T5", file(unigram, normalizer={"type": "NFKC"},
                     pre_tokenizer=sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace("always")),
                     added_tokens=[added("</s>", 1)], post_processor=template(None, "</s>"))
    yield "Unigram of whole texts", file(unigram, pre_tokenizer=metaspace("first", False))
    yield "whole words", file({"type": "WordLevel", "unk_token": "<unk>", "vocab": {w: i for i, w in enumerate(
        dict.fromkeys(["<unk>", *corpus, *"!?.,"]))}}, pre_tokenizer={"type": "Whitespace"})
    for form in ("NFC", "NFD", "NFKC", "NFKD", "StripAccents", "Nmt", "Lowercase"):
        yield f"normalizer {form}", file(marked_model, normalizer=sequence("normalizers", {"type": form}, space))
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        yield f"split {behavior}", of_words({"type": "Punctuation", "behavior": behavior}, split("[aei]", behavior, True))
    yield "digits", of_words({"type": "Digits", "individual_digits": False},
                             {"type": "CharDelimiterSplit", "delimiter": "e"})
    for path in sorted([*REFERENCE.glob("tokenizers/*/tokenizer.json"), *REFERENCE.glob("checkpoints/*/*/tokenizer.json")]):
        yield f"real: {path.parent.name}", json.loads(path.read_text(encoding="utf-8"))


def main():
    folder = package()
    if folder is None:
        print("skip - Hugging Face's tokenizers: no node, no npm, or the package cannot be had")
        return
    lines = list(texts(N_TEXTS, seed=1))
    several_lines = "\n".join(lines[:40]) + "\r\n\n \n\t" + "\n".join(lines[40:60])
    with tempfile.TemporaryDirectory() as scratch:
        path, batch, as_json = (str(Path(scratch) / name) for name in ("tokenizer.json", "batch.txt", "texts.json"))
        Path(batch).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="")
        Path(as_json).write_text(json.dumps([*lines, several_lines]), encoding="utf-8")
        for name, tokenizer in tokenizers():
            Path(path).write_text(json.dumps(tokenizer), encoding="utf-8")
            theirs = subprocess.run(["node", "encode.js", path, as_json], cwd=folder, check=False, text=True, capture_output=True)
            command = [os.environ["HEADSCOPE"], "tokenize", "--tokenizer", path, "--special", "--format", "ids"]
            ours, last = (subprocess.run([*command, *rest], check=False, text=True, capture_output=True)
                          for rest in (["--batch", batch], ["--sentence", several_lines]))
            if theirs.returncode or ours.returncode or last.returncode:
                print(f"not ok - {name}\n# {(theirs.stderr + ours.stderr + last.stderr)[:2000]}")
                continue
            expected = json.loads(theirs.stdout)
            found = [[int(number) for number in line.split()] for line in (ours.stdout + last.stdout).split("\n")[:-1]]
            wrong = [i for i, ids in enumerate(expected) if i >= len(found) or ids != found[i]]
            print(f"{'not ok' if wrong else 'ok'} - {name}: {len(expected) - len(wrong)} of {len(expected)} texts")
            for i in sorted(wrong, key=lambda i: len(expected[i]))[:3]:
                print(f"# {[*lines, several_lines][i]!r}: {expected[i]}, not {found[i] if i < len(found) else None}")


main()
