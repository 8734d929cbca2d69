#!/usr/bin/python3
"""Sums up what CTest found: a line for each program and script, what failed with its output, what was skipped and why,
and as the last line "N passed, N failed".

    summary.py JUNIT-FILE [--expect NAME…] [--failed WHAT…]

`--expect`: programs and scripts of which at least one case must have run. `--failed`: what failed before CTest ran.
Exits with 1 where anything failed."""

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

MOST_LINES = 200
# What GoogleTest prints as a case begins and ends.
CASES = {
    "begun": re.compile(r"^\[ RUN      \] (\S+)$", re.MULTILINE),
    "passed": re.compile(r"^\[       OK \] (\S+) \(\d+ ms\)$", re.MULTILINE),
    "skipped": re.compile(r"^\[  SKIPPED \] (\S+) \(\d+ ms\)$", re.MULTILINE),
    "failed": re.compile(r"^\[  FAILED  \] (\S+?)(?:, where .*)? \(\d+ ms\)$", re.MULTILINE),
}
REASON = re.compile(r"^skip - (.*)|: Skipped\n(.*)", re.MULTILINE)


def cases_of(path):
    """(name, outcome, seconds, output) for each case of a JUnit file of CTest's."""
    # CTest copies a program's output as it is, control characters among it, which XML does not allow.
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", Path(path).read_text(encoding="utf-8", errors="replace"))
    for case in ET.fromstring(text).iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") == "run":
            outcome = "passed"
        elif skipped is not None and "SKIP" in skipped.get("message", ""):
            outcome = "skipped"
        else:
            outcome = "failed"
        output = case.findtext("system-out") or ""
        for element in case.findall("failure") + case.findall("skipped"):
            if outcome == "failed" and element.get("message"):
                output += f"({element.get('message')})\n"
        yield case.get("name"), outcome, float(case.get("time") or 0), output


def group_of(name):
    """The program of a GoogleTest case, which is named PROGRAM.SUITE.CASE; a script is its own."""
    return name.split(".", 1)[0]


def cases_within(output):
    """{outcome: names} of the cases that a test of CTest's ran, where it is a part of a GoogleTest program. A case that
    did not end failed."""
    cases = {outcome: pattern.findall(output) for outcome, pattern in CASES.items()}
    ended = {name for outcome in ("passed", "skipped", "failed") for name in cases[outcome]}
    cases["failed"] += [name for name in cases.pop("begun") if name not in ended]
    return cases


def last_lines(output):
    lines = output.rstrip("\n").split("\n")
    left_out = len(lines) - MOST_LINES
    return [f"… {left_out} lines before …", *lines[left_out:]] if left_out > 0 else lines


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("junit")
    arguments.add_argument("--expect", nargs="*", default=[])
    arguments.add_argument("--failed", nargs="*", default=[])
    given = arguments.parse_args()

    failures, outputs, reasons = list(given.failed), [], defaultdict(set)
    counts = defaultdict(lambda: {"passed": 0, "failed": 0, "skipped": 0, "seconds": 0.0})
    try:
        cases = list(cases_of(given.junit))
    except (OSError, ET.ParseError) as error:
        cases = []
        failures.append(f"the results of CTest cannot be read: {error}")
    for name, outcome, seconds, output in cases:
        group = group_of(name)
        within = cases_within(output)
        if sum(map(len, within.values())) > 1:
            counts[group]["passed"] += len(within["passed"])
            counts[group]["skipped"] += len(within["skipped"])
            counts[group]["failed"] += max(len(within["failed"]), outcome == "failed")
        else:
            counts[group][outcome] += 1
        counts[group]["seconds"] += seconds
        if outcome == "failed":
            broken = re.findall(r"^not ok - (.*)", output, re.MULTILINE) + within["failed"]
            failures += [f"{name}: {line}" for line in broken] if broken else [name]
            outputs.append((name, output))
        reasons[group].update(script or program for script, program in REASON.findall(output))
    for name in given.expect:
        if name not in counts:
            failures.append(f"{name}: no test of it ran")

    for group in sorted(counts):
        count = counts[group]
        print(f"{group:28} {count['passed']:4} passed, {count['failed']} failed, {count['skipped']} skipped "
              f"({count['seconds']:.0f} s)")
        for reason in sorted(reasons[group]):
            print(f"  skipped: {reason}")
    for name, output in outputs:
        print(f"\n{name}:", *last_lines(output), sep="\n  ")
    if failures:
        print("\nFailed:", *failures, sep="\n  ")
    passed = sum(count["passed"] for count in counts.values())
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
