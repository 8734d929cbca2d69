#!/usr/bin/python3
# Compares ids and texts with those of sentencepiece itself, for random texts and models that it trains here.
# Needs: program python3-sentencepiece
# Set: all
# Time limit: 900 s
"""Each model is trained on random words, with different options."""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from random_texts import texts, word  # noqa: E402

try:
    import sentencepiece
except ImportError:
    print("skip - sentencepiece: Debian's python3-sentencepiece is not there")
    sys.exit()

N_TEXTS = 10_000
USERS = ["<sep>", "the", "▁ba", "neti", "  ", "x y"]
MODELS = {
    "unigram": {"model_type": "unigram"},
    "bpe": {"model_type": "bpe"},
    "unigram with bytes": {"model_type": "unigram", "byte_fallback": True, "vocab_size": 800},
    "bpe with bytes, as it stands": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 800,
                                     "normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "unigram with the user's pieces": {"model_type": "unigram", "user_defined_symbols": USERS,
                                       "normalization_rule_name": "nfkc_cf"},
    "bpe with the user's pieces": {"model_type": "bpe", "user_defined_symbols": USERS,
                                   "normalization_rule_name": "nmt_nfkc_cf"},
    "unigram with spaces behind": {"model_type": "unigram", "treat_whitespace_as_suffix": True},
    "bpe without a first space": {"model_type": "bpe", "add_dummy_prefix": False, "normalization_rule_name": "nfkc"},
    "unigram across spaces": {"model_type": "unigram", "split_by_whitespace": False, "remove_extra_whitespaces": False},
    "unigram with other ids": {"model_type": "unigram", "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3,
                               "control_symbols": ["<ctl>"]},
}


def main():
    rng = random.Random(3)
    lines = list(texts(N_TEXTS, seed=2))
    with tempfile.TemporaryDirectory() as scratch:
        corpus, batch, path = (str(Path(scratch) / name) for name in ("corpus.txt", "batch.txt", "some.model"))
        words = [word(rng) for _ in range(800)]
        Path(corpus).write_text("\n".join(" ".join(rng.choices(words, k=rng.randrange(1, 15))) + rng.choice(".!? ")
                                          for _ in range(5000)), encoding="utf-8")
        Path(batch).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="")
        for name, options in MODELS.items():
            with open(path, "wb") as file:
                sentencepiece.SentencePieceTrainer.train(
                    input=corpus, model_writer=file, minloglevel=2, hard_vocab_limit=False,
                    **{"vocab_size": 400, **options})
            model = sentencepiece.SentencePieceProcessor(model_file=path)
            expected = [model.encode(line, out_type=int) for line in lines]
            done = subprocess.run([os.environ["HEADSCOPE"], "tokenize", "--tokenizer", path, "--format", "ids", "--batch",
                                   batch], check=False, text=True, capture_output=True)
            found = [[int(number) for number in line.split()] for line in done.stdout.split("\n")[:-1]]
            wrong = [i for i, ids in enumerate(expected) if i >= len(found) or ids != found[i]]
            print(f"{'not ok' if wrong else 'ok'} - {name}: {len(expected) - len(wrong)} of {len(expected)} texts")
            if done.stderr:
                print(f"# {done.stderr[:2000]}")
            for i in sorted(wrong, key=lambda i: len(lines[i]))[:3]:
                print(f"# {lines[i]!r}: {expected[i]}, not {found[i] if i < len(found) else None}")


main()
