"""Measures the two sides of each table of compare.py alternately."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = 7
SECONDS = 0.25  # for each side, shape and round


class Peer:
    """PyTorch in a separate process, which stays open between the rounds."""

    def __init__(self, script, threads, **variables):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), **variables)
        self.process = subprocess.Popen([sys.executable, HERE / script, str(threads)], text=True,
                                        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.about = self.process.stdout.readline().strip()

    def mean_ms(self, kind, shape):
        """The mean time in ms of one of the script's kinds of work."""
        self.process.stdin.write(f"{' '.join(map(str, (kind, *shape, SECONDS)))}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def google_benchmark(program, pattern):
    """{name: mean real time in ms} of the benchmarks with matching names."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    run = subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_format=json",
                          f"--benchmark_min_time={SECONDS}"], env=environment, text=True, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    to_ms = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    return {entry["name"].split("/")[0]: entry["real_time"] * to_ms[entry["time_unit"]]
            for entry in json.loads(run.stdout)["benchmarks"]}


def measure(programs, pattern, peer, kind, shape):
    """A list of the rounds' times in ms, by the names of the programs' benchmarks and by "peer"."""
    rounds = []
    for _ in range(ROUNDS):
        times = {}
        for program in programs:
            times |= google_benchmark(program, pattern)
        if peer:
            times["peer"] = peer.mean_ms(kind, shape)
        rounds.append(times)
    return rounds


def median_of(rounds, name):
    return statistics.median(times[name] for times in rounds)


def median_ratio(rounds, above, below):
    """The median of the rounds' ratios, since a slow phase of the machine affects both sides of a round."""
    return statistics.median(times[above] / times[below] for times in rounds)


def goal(reached, target, text):
    return f"  {text}{'' if reached >= target else ' missed'}"
