"""Puts the program, its fonts and its models into one page: pack.py CMAKE_FOLDER ROOT PAGE."""

import base64
import gzip
import json
import struct
import sys
from pathlib import Path

FONTS = {
    "sans": "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
    "sans_bold": "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
    "mono": "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
    "fallback": "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
}


def pack(files):
    """All files as one archive: the length of a list of names and sizes, the list in JSON, and the files."""
    names = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    return gzip.compress(struct.pack("<I", len(names)) + names + b"".join(files.values()), 9, mtime=0)


def main(built, root, page):
    files = {"headscope.wasm": (built / "headscope.wasm").read_bytes()}
    files |= {f"/share/fonts/{name}": Path(path).read_bytes() for name, path in FONTS.items()}
    models = root / "assets/models"
    files |= {f"/share/models/{path.relative_to(models)}": path.read_bytes()
              for path in sorted(models.rglob("*")) if path.is_file()}
    for name, content in files.items():
        print(f"{len(gzip.compress(content, 9)):9} {len(content):9} {name}")
    text = (root / "app/web/page.html").read_text(encoding="utf-8")
    program = (built / "headscope.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    text = text.replace("@PROGRAM@", program).replace("@PACK@", base64.b64encode(pack(files)).decode())
    page.write_text(text, encoding="utf-8")


main(*map(Path, sys.argv[1:]))
