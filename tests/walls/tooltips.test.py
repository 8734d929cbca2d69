#!/usr/bin/python3
# Needs: python3
"""The tooltip of a control must be the setting's own sentence, not a second text."""

import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]
widget = re.compile(r"\b(slider_int|slider_float|toggle|segmented|combo|number_field|decimal_field)\(")
emits = re.compile(r"emit\((Set(Architecture|Attention|Picture|Sampling|Training)\{)?|\n}\n")
literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
handed_on = "tooltip"  # by functions that make several controls


def call_at(text, start):
    """The arguments of the call whose opening bracket is before `start`, and the end of the call."""
    depth, arguments, argument, quoted = 1, [], "", False
    for at in range(start, len(text)):
        letter = text[at]
        if letter == '"' and text[at - 1] != "\\":
            quoted = not quoted
        if not quoted:
            depth += letter in "({["
            depth -= letter in ")}]"
            if depth == 0:
                return arguments + [argument.strip()], at
            if letter == "," and depth == 1:
                arguments.append(argument.strip())
                argument = ""
                continue
        argument += letter
    return [], len(text)


def controls_in(text):
    """The arguments of every control that changes a setting."""
    for match in widget.finditer(text):
        arguments, end = call_at(text, match.end())
        emitted = emits.search(text, end)
        if emitted and emitted.group(1):
            yield arguments


n_controls = 0
second_texts = []
for file in sorted((root / "app").glob("*/*.cpp")):
    for arguments in controls_in(file.read_text()):
        n_controls += 1
        if not any(one.startswith("setting(") or one == handed_on or ".sentence" in one for one in arguments):
            second_texts.append(f"{file.relative_to(root)}: {arguments[-1][:60]}")
records = "".join(path.read_text() for path in (root / "core/session").glob("*_settings.h"))
n_controls += records.count("Control{.label")  # drawn from their records, with their sentences
app = "".join(path.read_text() for path in (root / "app").glob("*/*.cpp"))
for text in literal.findall(records):
    if len(text) > 30 and " " in text and f'"{text}' in app:
        second_texts.append(f"a second time: {text}")

for one in second_texts:
    print(f"not ok - {one}")
if n_controls < 30:
    print(f"not ok - only {n_controls} controls were found")
elif not second_texts:
    print(f"ok - {n_controls} controls have their settings' sentences")
