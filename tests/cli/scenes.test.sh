#!/usr/bin/env bash
# Tests a scene or a figure as the first argument of every command that takes a session.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

cat >scene_of.py <<'PYTHON'
"""scene_of.py TRACE SCENE [KEY=JSON…]: writes the session in a trace's metadata as a scene, with other values."""
import json
import struct
import sys
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
(length,) = struct.unpack("<Q", data[:8])
session = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["session"])
for change in sys.argv[3:]:
    key, value = change.split("=", 1)
    session[key] = json.loads(value)
Path(sys.argv[2]).write_text(json.dumps(session))
PYTHON
cat >same.py <<'PYTHON'
"""same.py A B: checks that two traces contain the same numbers."""
import struct
import sys
from pathlib import Path


def numbers(name):
    data = Path(name).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return data[8 + length :]


sys.exit(numbers(sys.argv[1]) != numbers(sys.argv[2]))
PYTHON

options=(--sentence "one two three four" --d-model 8 --heads 2 --layers 2 --mask causal --mask window:2 --attention-temperature 0.5)
"$headscope" trace "${options[@]}" --out told.safetensors
/usr/bin/python3 scene_of.py told.safetensors lesson.headscope 'title="A lesson"'

check "trace opens a scene" "$headscope" trace lesson.headscope --out scene.safetensors
check "the trace of a scene has the numbers of its session" /usr/bin/python3 same.py told.safetensors scene.safetensors
"$headscope" trace "${options[@]/%0.5/2}" --out other.safetensors
check "an option changes a scene" "$headscope" trace lesson.headscope --attention-temperature 2 --out changed.safetensors
check "an option changes nothing else of a scene" /usr/bin/python3 same.py other.safetensors changed.safetensors
check "render opens a scene" "$headscope" render lesson.headscope --out lesson.png
check "trace opens a figure of a scene" "$headscope" trace lesson.png --out figure.safetensors
check "the trace of a figure has the numbers of its session" /usr/bin/python3 same.py told.safetensors figure.safetensors
for figure in lesson.svg lesson.pdf; do
  "$headscope" render lesson.headscope --out "$figure"
  check "trace opens $figure" "$headscope" trace "$figure" --out figure.safetensors
  check "the trace of $figure has the same numbers" /usr/bin/python3 same.py told.safetensors figure.safetensors
done
check "render draws a figure as another page" "$headscope" render lesson.png --page heads --out heads.svg
"$headscope" render --page explore --size 712x502 --scale 1 --out small.png
"$headscope" render small.png --out again.png
"$headscope" render small.png --size 900x600 --out larger.png
width() { identify -format %w "$1"; }
check "a figure that is drawn again keeps its size" test "$(width again.png)" = "$(width small.png)"
check "a figure that is drawn again takes a given size" test "$(width larger.png)" -gt "$(width small.png)"
"$headscope" explain lesson.headscope --stage weights --row 2 --column 1 >scene.txt
"$headscope" explain "${options[@]}" --stage weights --row 2 --column 1 >told.txt
check "explain opens a scene" cmp scene.txt told.txt
check "info opens a scene" bash -c "'$headscope' info lesson.headscope | grep -q d_model"

/usr/bin/python3 scene_of.py told.safetensors newer.headscope version=2
/usr/bin/python3 scene_of.py told.safetensors missing.headscope 'model="/nowhere/a-model"' 'task="pronouns"'
head -c 3000 lesson.pdf >cut.pdf
check_refused 1 'cut.pdf.*only figures made by Headscope' render ../cut.pdf --out a.png
head -c 200 lesson.headscope >cut.headscope
printf '[%.0s' {1..5000} >nested.headscope
check_refused 1 'newer.headscope.*newer Headscope wrote it \(version 2' render ../newer.headscope --out a.png
check_refused 1 'missing.headscope.*/nowhere/a-model' render ../missing.headscope --out a.png
check_refused 1 'cut.headscope.*line' render ../cut.headscope --out a.png
check_refused 1 'nested.headscope' trace ../nested.headscope --out a.safetensors
check_refused 1 'none.headscope' explain none.headscope --row 0 --column 0
check_refused 2 'was not expected' train ../lesson.headscope --task copying --out model
