"""The table of checkpoints of other programs, for compare.py."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rounds import HERE, ROUNDS, Peer

# The family, the number type, and the target in seconds from opening the folder to the numbers of the first picture.
MODELS = [("gpt2", "F32", 1.0), ("gpt2", "BF16", 1.0), ("llama", "BF16", 3.0)]
PASS_TARGETS = {32: 1.3, 256: 1.0}
TOKEN_TARGET = 1.5
KEYSTROKE_TARGET = 100.0


def measured(program, folder, threads):
    run = subprocess.run([program, folder, str(threads)], text=True, check=True, stdout=subprocess.PIPE)
    return {name: float(number) for name, number in (line.split() for line in run.stdout.splitlines())}


def verdict(is_met):
    return "met" if is_met else "missed"


def print_model(program, headscope, folder, name, seconds, has_torch):
    for threads in (1, len(os.sched_getaffinity(0))):
        ours = measured(program, folder, threads)
        print(f"\n{name}, {threads} thread(s); opening with all cores")
        first = ours["first"] / 1e3
        print(f"open: {ours['open'] / 1e3:.2f} s, first picture {first:.2f} s (target: {seconds} s: "
              f"{verdict(first <= seconds)})")
        peer = Peer("peer_checkpoint.py", threads) if has_torch else None
        for n_tokens, target in PASS_TARGETS.items():
            pass_ms = ours[f"pass{n_tokens}"]
            line = f"pass of {n_tokens} tokens: {pass_ms:.0f} ms"
            if peer:
                theirs = peer.mean_ms(name.split()[0], (n_tokens,))
                line += f", PyTorch {theirs:.0f} ms: {theirs / pass_ms:.2f} (target: {target}: " \
                        f"{verdict(theirs / pass_ms >= target)})"
            print(line)
        if peer:
            peer.close()
        ratio = ours["token"] / ours["stream"]
        print(f"one more token: {ours['token']:.1f} ms, streaming the weights {ours['stream']:.1f} ms: {ratio:.2f} "
              f"(target: {TOKEN_TARGET}: {verdict(ratio <= TOKEN_TARGET)})")
        if threads > 1:
            print_writing(headscope, folder, "1 2 3 4", ours["stream"], lambda text: len(text.split()))
        target = f" (target: {KEYSTROKE_TARGET:.0f} ms: {verdict(ours['keystroke'] <= KEYSTROKE_TARGET)})"
        print(f"a keystroke behind 63 tokens: {ours['keystroke']:.0f} ms{target if 'gpt2' in name else ''}")
        print(f"memory: file {ours['file']:.0f} MB, weights {ours['packed']:.0f} MB, a pass of 256 tokens "
              f"{ours['trace256']:.0f} MB")


def print_writing(headscope, folder, sentence, stream, n_tokens_of):
    """What `headscope write` takes for one more token, its start and its first words left out."""
    times = {20: [], 100: []}
    n_tokens = {}
    for n_words in list(times) * ROUNDS:
        command = [headscope, "write", "--model", folder, "--sentence", sentence, "--words", str(n_words)]
        start = time.perf_counter()
        text = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE).stdout
        times[n_words].append(1e3 * (time.perf_counter() - start))
        n_tokens[n_words] = n_tokens_of(text)
    token = (statistics.median(times[100]) - statistics.median(times[20])) / (n_tokens[100] - n_tokens[20])
    print(f"`write`, one more token: {token:.2f} ms, streaming the weights {stream:.2f} ms: {token / stream:.2f} "
          f"(target: {TOKEN_TARGET}: {verdict(token / stream <= TOKEN_TARGET)})")


def print_stories(program, headscope):
    folder = HERE.parents[1] / "assets" / "models" / "stories"
    ours = measured(program, folder, 1)
    print(f"\nStories, whose weights ({ours['packed']:.1f} MB) stay in the processor's cache")

    def n_tokens_of(text):
        ids = [headscope, "tokenize", "--tokenizer", folder, "--format", "ids", "--sentence", text]
        return len(subprocess.run(ids, text=True, check=True, stdout=subprocess.PIPE).stdout.split())

    print_writing(headscope, folder, "Once upon a time", ours["stream"], n_tokens_of)


def checkpoint_table(program, headscope, has_torch):
    print("\nCheckpoints of random weights, of GPT-2 small's size and of half a billion parameters")
    for family, number_type, seconds in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, HERE / "make_checkpoint.py", family, number_type, folder], check=True)
            print_model(program, headscope, Path(folder), f"{family} {number_type}", seconds, has_torch)
    print_stories(program, headscope)
