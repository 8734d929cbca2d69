"""The tables of compare.py about training."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rounds import HERE, ROUNDS, Peer, goal, measure, median_of, median_ratio

LANGUAGE_TARGET = 1.2
STEP_TARGETS = {"one thread": 2.5, "all cores": 4.0}
SECONDS_TARGET = 2.0
ENOUGH = 0.99  # the share of the held-out pronouns
RECIPE = HERE.parents[2] / "shared" / "recipes" / "pronouns_torch.py"
RECIPE_STEPS = 1000  # at most


def steps_table(program, peers):
    """`peers` is {threads: Peer or None}. Our step on all cores is compared with the peer's on all cores. The peer's
    step with one thread stands beside it, because threads can cost small products more than they save."""
    print(f"\nA step of training (64 sentences of 8 to 12 of 361 words, d_model 64, 4 heads, 2 layers, d_ff 128); "
          f"medians of {ROUNDS} alternating rounds, in ms; "
          "PyTorch pads to 12 words, ours computes the words alone")
    print(f"{'':<14}{'ours':>9}{'PyTorch':>9}{'ratio':>7}  target")
    alone = None
    for name, threads in (("one thread", 1), ("all cores", 0)):
        peer = peers[threads]
        rounds = measure([program], f"step/threads:{threads}/", peer, "step", ())
        line = f"{name:<14}{median_of(rounds, 'step'):>9.2f}"
        if peer:
            ratio = median_ratio(rounds, "peer", "step")
            line += f"{median_of(rounds, 'peer'):>9.2f}{ratio:>6.2f}×"
            if threads == 1:
                alone = median_of(rounds, "peer")
            against_one = alone / median_of(rounds, "step")
            line += goal(min(ratio, against_one), STEP_TARGETS[name], f"≥ {STEP_TARGETS[name]:.1f}×")
            if threads != 1:
                line += f"; {against_one:.2f}× PyTorch with one thread, and the lesser ratio counts"
        else:
            line += f"{'—':>9}{'—':>7}"
        print(line, flush=True)


def language_table(program, peers):
    """A step of a language model, and the memory of the process that takes it."""
    print(f"\nA step of training a language model (32 windows of 256 of 2,048 pieces, d_model 128, 4 heads, 4 layers, "
          f"d_ff 344: a million parameters); medians of {ROUNDS} alternating rounds, in ms")
    print(f"{'':<14}{'ours':>9}{'PyTorch':>9}{'ratio':>7}  target")
    for name, threads in (("one thread", 1), ("all cores", 0)):
        rounds = measure([program], f"language_step/threads:{threads}/", peers[threads], "language_step", ())
        line = f"{name:<14}{median_of(rounds, 'language_step'):>9.0f}"
        if peers[threads]:
            ratio = median_ratio(rounds, "peer", "language_step")
            line += (f"{median_of(rounds, 'peer'):>9.0f}{ratio:>6.2f}×"
                     f"{goal(ratio, LANGUAGE_TARGET, f'≥ {LANGUAGE_TARGET:.1f}×')}")
        print(line, flush=True)
    run = subprocess.Popen([program, "--benchmark_filter=language_step/threads:0/"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    print(f"memory of ours at its peak, all cores: {os.wait4(run.pid, 0)[2].ru_maxrss / 1024:.0f} MiB")


def recipe_seconds():
    """(seconds, steps) until the recipe knows enough pronouns, according to its own test after every hundred steps and
    with one thread, as it is written. None if it never does."""
    run = subprocess.Popen([sys.executable, "-u", RECIPE, "64", "4", "2", str(RECIPE_STEPS), "0"], text=True,
                           stdout=subprocess.PIPE)
    try:
        for line in run.stdout:
            found = re.match(r"step (\d+)\s+([\d.]+) s\s.*pronoun accuracy ([\d.]+)", line)
            if found and float(found[3]) >= ENOUGH:
                return float(found[2]), int(found[1])
    finally:
        run.kill()
        run.wait()
    return None


def our_seconds(program, folder):
    """[(seconds, steps)] of each seed, on the recipe's sentences."""
    corpus = Path(folder) / "corpus.npy"
    subprocess.run([sys.executable, HERE / "peer_training.py", "corpus", RECIPE, corpus], check=True)
    run = subprocess.run([program, "--benchmark_filter=until_known", "--benchmark_format=json"], text=True,
                         env=dict(os.environ, HEADSCOPE_CORPUS=str(corpus)), check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    return [None if entry.get("error_occurred") else (entry["real_time"] / 1e9, int(entry["steps"]))
            for entry in json.loads(run.stdout)["benchmarks"]]


def until_known_table(program, has_torch):
    print(f"\nFrom random weights to {ENOUGH:.0%} of the held-out pronouns of the recipe's sentences (d_model 64, "
          "4 heads, 2 layers); exams are in the time")
    if not has_torch or not RECIPE.exists():
        print(f"skipped: {'no PyTorch' if not has_torch else f'no {RECIPE}'}")
        return
    with tempfile.TemporaryDirectory() as folder:
        ours = our_seconds(program, folder)
    for seed, result in enumerate(ours):
        line = f"ours, all cores, seed {seed}: "
        if result:
            seconds, steps = result
            line += f"{seconds:.2f} s, {steps} steps  ≤ {SECONDS_TARGET:.0f} s"
        print(line + ("" if result and seconds <= SECONDS_TARGET else " missed"))
    recipe = recipe_seconds()
    print(f"the recipe, one thread: {f'{recipe[0]:.1f} s, {recipe[1]} steps' if recipe else 'not learned'}", flush=True)


def training_table(program, has_torch):
    if not program.exists():
        print("\nTraining: bench_training was not built.")
        return
    cores = len(os.sched_getaffinity(0))
    # Threads that spin between the many small loops of a step take the cores from those that multiply. With passive
    # waiting, PyTorch on all cores is several times as fast.
    peers = {threads: Peer("peer_training.py", threads or cores, OMP_WAIT_POLICY="passive") if has_torch else None
             for threads in (1, 0)}
    steps_table(program, peers)
    language_table(program, peers)
    for peer in peers.values():
        if peer:
            peer.close()
    until_known_table(program, has_torch)
