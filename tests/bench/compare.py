#!/usr/bin/python3
"""Measures the engine and its peer alternately, then the window. tests/bench/run builds and calls this.

    compare.py BUILD_FOLDER
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
from rounds import ROUNDS, Peer, goal, measure, median_of, median_ratio  # noqa: E402
from checkpoint_table import checkpoint_table  # noqa: E402
from training_table import training_table  # noqa: E402

SHAPES = [(12, 64, 8), (32, 512, 8), (128, 768, 12), (512, 768, 12), (1024, 768, 12)]
ENCODER = (6, 64, 512, 8, 2048)  # layers, T, d_model, heads, d_ff of Vaswani et al. 2017, base
ENCODER_TARGET = 1.2
GROUPS = (512, 768, 12, 4)  # T, d_model, query heads, key and value heads
GROUPS_TARGET = 1.1


def target_ratio(shape):
    return 4.0 if shape[0] == 12 else 1.2


def target_share(shape):
    return 75 if shape[0] == 1024 else 85


def measure_attention(program, peer, shape, causal, threads):
    """Rounds of "pass", "products" (one thread, no mask) and "peer"."""
    t, d_model, heads = shape
    pattern = f"/T:{t}/d_model:{d_model}/heads:{heads}/causal:{int(causal)}/threads:{threads}/"
    programs = [program]
    if threads == 1 and not causal:
        programs.append(program.with_name("bench_products"))
    return measure(programs, pattern, peer, "attention", (*shape, int(causal)))


def measure_encoder(program, peer, threads):
    """Rounds of "encoder" and "peer"."""
    names = ("layers", "T", "d_model", "heads", "d_ff")
    sizes = "".join(f"{name}:{size}/" for name, size in zip(names, ENCODER))
    pattern = f"encoder/{sizes}threads:{threads}/"
    return measure([program], pattern, peer, "encoder", ENCODER)


def attention_table(program, peer, threads):
    """The targets apply to one thread without a mask. The other rows are there for comparison."""
    title = "one thread each" if threads == 1 else "all cores each"
    print(f"\nAttention, {title}; medians of {ROUNDS} alternating rounds, in ms")
    print(f"{'T, d_model, heads':<18}{'mask':<8}{'ours':>9}{'PyTorch':>9}{'ratio':>7}"
          + (f"{'products':>10}{'share':>7}  targets" if threads == 1 else ""))
    for causal in (False, True):
        for shape in SHAPES:
            rounds = measure_attention(program, peer, shape, causal, threads)
            line = f"{', '.join(map(str, shape)):<18}{'causal' if causal else 'none':<8}"
            line += f"{median_of(rounds, 'pass'):>9.4f}"
            goals = ""
            if peer:
                ratio = median_ratio(rounds, "peer", "pass")
                line += f"{median_of(rounds, 'peer'):>9.4f}{ratio:>6.2f}×"
                goals += goal(ratio, target_ratio(shape), f"≥ {target_ratio(shape):.1f}×")
            else:
                line += f"{'—':>9}{'—':>7}"
            if "products" in rounds[0]:
                share = 100 * median_ratio(rounds, "products", "pass")
                line += f"{median_of(rounds, 'products'):>10.4f}{share:>6.0f}%"
                goals += goal(share, target_share(shape), f"≥ {target_share(shape)} %")
                line += goals
            print(line, flush=True)


def groups_table(program, threads):
    """Compares query heads that share keys and values with as many that do not."""
    t, d_model, heads, kv_heads = GROUPS
    pattern = f"grouped/T:{t}/d_model:{d_model}/heads:{heads}/kv_heads:{kv_heads}/threads:{threads}/"
    rounds = measure([program], pattern, None, None, None)
    ratio = median_ratio(rounds, "ungrouped", "grouped")
    print(f"\nAttention of {heads} query heads that share {kv_heads} key and value heads (T {t}, d_model {d_model}), "
          f"{'one thread' if threads == 1 else 'all cores'}: {median_of(rounds, 'grouped'):.3f} ms, without sharing "
          f"{median_of(rounds, 'ungrouped'):.3f} ms, ratio {ratio:.2f}×{goal(ratio, GROUPS_TARGET, f'≥ {GROUPS_TARGET:g}×')}",
          flush=True)


def encoder_table(program, peer, threads):
    layers, t, d_model, heads, d_ff = ENCODER
    rounds = measure_encoder(program, peer, threads)
    line = (f"\nThe paper's encoder, every stage kept ({layers} layers, T {t}, d_model {d_model}, {heads} heads, "
            f"d_ff {d_ff}), {'one thread' if threads == 1 else 'all cores'} each: "
            f"{median_of(rounds, 'encoder'):.2f} ms")
    if peer:
        ratio = median_ratio(rounds, "peer", "encoder")
        line += f", PyTorch's nn.TransformerEncoder {median_of(rounds, 'peer'):.2f} ms, ratio {ratio:.2f}×"
        if threads == 1:
            line += goal(ratio, ENCODER_TARGET, f"≥ {ENCODER_TARGET:.1f}×")
    print(line, flush=True)


EVERY_FRAME = 16.0  # ms
EVERY_LENGTH = {64: EVERY_FRAME, 512: EVERY_FRAME}
QUICK = {64: 2.0, 512: 4.0}
USUAL = {64: 4.0, 512: 4.0}
# For each benchmark, a description of its frames and the targets in ms by length, for the median and for the 99th
# percentile.
FRAMES = {
    "unchanged": ("nothing changes", QUICK, {}),
    "mouse_over_maps": ("the mouse goes over the maps", QUICK, {}),
    "while_training": ("the page on training, while it trains", {}, {11: 16.7}),
    "new_pass": ("the longest until all maps of a pass are there", {}, EVERY_LENGTH),
    "typing": ("the same after every letter that is typed", {}, EVERY_LENGTH),
    "deep_unchanged": ("12 layers of 12 heads: nothing changes", USUAL, EVERY_LENGTH),
    "deep_mouse": ("the mouse goes over them", USUAL, EVERY_LENGTH),
    "deep_opening": ("another head is opened", USUAL, EVERY_LENGTH),
    "deep_new_pass": ("the longest until all their maps are there", {}, EVERY_LENGTH),
    "deep_lines": ("the mouse goes over the lines of all of them", USUAL, EVERY_LENGTH),
    "deep_compare": ("the mouse goes over two passes of them", USUAL, EVERY_LENGTH),
    "deep_compare_new_pass": ("the longest until another pass is compared", {}, EVERY_LENGTH),
}


def frame_goal(entry, number, name, targets, n_tokens):
    target = targets.get(n_tokens)
    if target is None:
        return ""
    return f"  {name} < {target:g}{'' if entry[number] < target else ' missed'}"


def frame_table(build):
    program = build / "tests" / "bench_frame"
    if not program.exists():
        print("\nFrame time: bench_frame was not built.")
        return
    run = subprocess.run([program, "--benchmark_format=json"], text=True, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    print("\nFrame time in the UI thread, without a GPU, 8 heads' weights on the screen where nothing else is said, in ms")
    print(f"{'T':<6}{'frame':<48}{'median':>9}{'99 %':>9}  target")
    for entry in json.loads(run.stdout)["benchmarks"]:
        name, length = entry["name"].split("/")[:2]
        n_tokens = int(length.removeprefix("T:"))
        what, medians, slowest = FRAMES[name]
        line = f"{n_tokens:<6}{what:<48}"
        if entry.get("error_occurred"):
            print(line + f"  not measured: {entry['error_message']}")
            continue
        line += f"{entry['median_ms']:>9.3f}{entry['slow_ms']:>9.3f}"
        line += frame_goal(entry, "median_ms", "median", medians, n_tokens)
        line += frame_goal(entry, "slow_ms", "99 %", slowest, n_tokens)
        print(line)


def effects_table(build):
    program = build / "tests" / "bench_effects"
    if not program.exists():
        print("\nEffects of parts: bench_effects was not built.")
        return
    print("\nWhat every head, feed-forward layer and layer does to a prediction, each switched off in turn")
    models = Path(__file__).resolve().parents[2] / "assets" / "models"
    subprocess.run([program, models], check=True)


def with_display(command, **options):
    return subprocess.Popen(["xvfb-run", "-a", "-s", "-screen 0 1440x900x24", *map(str, command)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def first_picture(program):
    """Seconds from the start of the program to the first full picture of its window, written as a PNG."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "first.png"
        run = with_display(["bash", "-c", 'date +%s%N > "$2/begin"; "$0" --screenshot "$1"; date +%s%N > "$2/end"',
                            program, picture, folder])
        if run.wait(timeout=60) or not picture.exists():
            return None
        begin, end = (int((Path(folder) / name).read_text()) for name in ("begin", "end"))
        return (end - begin) / 1e9


def children_of(pid):
    """A process and all its descendants."""
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        for task in Path(f"/proc/{current}/task").glob("*/children"):
            waiting += map(int, task.read_text().split())
    return found


def idle_percent(program, seconds=5.0):
    """The processor time of an idle window, in percent of a core."""
    def windows_of(session):
        return [pid for pid in children_of(session.pid)
                if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() == program.name]

    with tempfile.TemporaryDirectory() as settings:
        environment = dict(os.environ, XDG_CONFIG_HOME=settings, XDG_STATE_HOME=settings)
        session = with_display([program], env=environment, start_new_session=True)
        try:
            time.sleep(4.0)
            windows = windows_of(session)
            if len(windows) != 1:
                return None

            def ticks():
                fields = Path(f"/proc/{windows[0]}/stat").read_text().rsplit(")", 1)[1].split()
                return int(fields[11]) + int(fields[12])

            before = ticks()
            time.sleep(seconds)
            return 100 * (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds
        finally:
            # The display ends with its window, which still writes its settings.
            for pid in windows_of(session) or reversed(children_of(session.pid)):
                subprocess.run(["kill", str(pid)], stderr=subprocess.DEVNULL, check=False)
            session.wait()


def window_table(build):
    program = build / "headscope"
    if not program.exists():
        print("\nThe window: headscope was not built.")
        return
    print("\nThe window (under Xvfb, drawn in software)")
    starts = [first_picture(program) for _ in range(5)]
    if None in starts:
        print("start to first full picture: headscope --screenshot did not write one")
    else:
        print(f"start to first full picture, written as PNG: {statistics.median(starts):.2f} s (well under 1 s)")
    idle = idle_percent(program)
    print("idle: the window did not open" if idle is None else f"idle: {idle:.1f} % of a core (under 2 %)")


def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    build = Path(sys.argv[1])
    cores = len(os.sched_getaffinity(0))
    print(f"{processor()}, {cores} cores, load {os.getloadavg()[0]:.1f}")
    has_torch = subprocess.run([sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL,
                               check=False).returncode == 0
    if not has_torch:
        print("No PyTorch here (python3-torch): the peer is left out.")
    for threads, peer_threads in ((1, 1), (0, cores)):
        peer = Peer("peer_attention.py", peer_threads) if has_torch else None
        if peer:
            print(f"\n{peer.about}", end="")
            if "openblas" not in peer.about:
                print("\nThis is not OpenBLAS (libopenblas0-pthread): the peer is slower than it could be.", end="")
        attention_table(build / "tests" / "bench_attention", peer, threads)
        groups_table(build / "tests" / "bench_attention", threads)
        encoder_table(build / "tests" / "bench_attention", peer, threads)
        if peer:
            peer.close()
    training_table(build / "tests" / "bench_training", has_torch)
    frame_table(build)
    effects_table(build)
    checkpoint_table(build / "tests" / "bench_checkpoints", build / "headscope", has_torch)
    window_table(build)


if __name__ == "__main__":
    main()
