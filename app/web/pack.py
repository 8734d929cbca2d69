"""Puts the program, its fonts and its models into one page, and beside it into the folder "site" for a web server:
pack.py CMAKE_FOLDER ROOT SOURCES PAGE."""

import gzip
import hashlib
import io
import json
import re
import shutil
import struct
import sys
from pathlib import Path

from fontTools import subset, ttLib

FONTS = {
    "sans": "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
    "sans_bold": "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
    "mono": "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
    "fallback": "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
}
# Latin, Greek and Cyrillic letters, punctuation, arrows, mathematics, geometric shapes and Latin subscripts.
LETTERS = [*range(0x20, 0x530), *range(0x1D00, 0x2C80), 0xFFFD]

# Where the libraries and the fonts say who made them and what one may do with them.
NOTICES = {
    "Dear ImGui": "imgui/LICENSE.txt",
    "FreeType": "freetype/docs/FTL.TXT",
    "Oniguruma": "libonig/COPYING",
    "MD4C": "md4c/LICENSE.md",
    "utf8proc": "utf8proc/LICENSE.md",
    "double-conversion": "double-conversion/LICENSE",
    "libpng": "libpng1.6/LICENSE",
    "zlib": "zlib/LICENSE",
}
PACKAGES = {
    "Eigen": "libeigen3-dev",
    "JSON for Modern C++": "nlohmann-json3-dev",
    "tl::expected": "libexpected-dev",
    "stb": "libstb-dev",
    "Highway": "libhwy-dev",
    "xxHash": "libxxhash-dev",
    "CLI11": "libcli11-dev",
    "Emscripten, musl and libc++": "emscripten",
    "Inter": "fonts-inter",
    "JetBrains Mono": "fonts-jetbrains-mono",
    "DejaVu Sans": "fonts-dejavu-core",
}

# The characters of ASCII that a page in HTML does not keep, or that could begin a tag.
LOST = "\0\r<"


def font(path):
    """The letters above, without the features of layout, which FreeType does not apply."""
    options = subset.Options(layout_features=[], hinting=False, drop_tables=["FFTM"], notdef_outline=True, name_IDs=[1, 2, 4, 6, 13, 14])
    subsetter = subset.Subsetter(options)
    face = ttLib.TTFont(path, recalcTimestamp=False)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(face)
    out = io.BytesIO()
    face.save(out)
    return out.getvalue()


def planes(content):
    """The numbers of a safetensors file sorted by the places of their bytes, which compresses better, and the width of
    a number. The page puts them back."""
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    width = {"F32": 4, "F16": 2, "BF16": 2}[next(v["dtype"] for k, v in header.items() if k != "__metadata__")]
    numbers = content[begin:]
    if len(numbers) % width:
        return content, 1
    return content[:begin] + b"".join(numbers[i::width] for i in range(width)), width


def pack(files):
    """All files as one archive: the length of a list of names, sizes and widths, the list in JSON, and the files."""
    entries, contents = [], []
    for name, content in files.items():
        content, width = planes(content) if name.endswith(".safetensors") else (content, 1)
        entries.append([name, len(content), width])
        contents.append(content)
    head = json.dumps(entries).encode()
    return gzip.compress(struct.pack("<I", len(head)) + head + b"".join(contents), 9, mtime=0)


def seven_bits(content):
    """Bytes as text in UTF-8 with seven bits in each byte. A group of seven bits that is lost as a character becomes one
    character of two bytes with the group after it."""
    padded = content + bytes(-len(content) % 7 + 7)  # After the last group of the content comes one more.
    groups = bytearray()
    for i in range(0, len(padded), 7):
        number = int.from_bytes(padded[i:i + 7], "big")
        groups += bytes(number >> shift & 127 for shift in range(49, -1, -7))
    return re.sub(f"([{LOST}])(.)", lambda pair: chr(128 * (1 + LOST.index(pair[1])) + ord(pair[2])),
                  groups.decode("ascii"), flags=re.DOTALL)


def notices(sources):
    files = {name: sources / path for name, path in NOTICES.items()}
    files |= {name: Path("/usr/share/doc", package, "copyright") for name, package in PACKAGES.items()}
    texts = []
    for name, path in files.items():
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        texts.append(f"{name}\n{'=' * len(name)}\n{content.decode('utf-8', 'replace').strip()}\n")
    return "\n\n".join(texts).encode()


def main(built, root, sources, page):
    files = {"headscope.wasm": (built / "headscope.wasm").read_bytes()}
    files |= {f"/share/fonts/{name}": font(path) for name, path in FONTS.items()}
    files["/share/notices.txt"] = notices(sources)
    models = root / "assets/models"
    files |= {f"/share/models/{path.relative_to(models)}": path.read_bytes()
              for path in sorted(models.rglob("*")) if path.is_file()}
    archive = pack(files)
    text = (root / "app/web/page.html").read_text(encoding="utf-8")
    program = (built / "headscope.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    text = text.replace("@PROGRAM@", program).replace("@SIZE@", str(len(archive)))
    page.write_text(text.replace("@PLACE@", "").replace("@PACK@", seven_bits(archive)), encoding="utf-8", newline="")

    site = page.with_name("site")
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir()
    # A new version has a new name, so that no cache mixes two of them.
    place = f"headscope-{hashlib.sha256(archive).hexdigest()[:12]}.pack"
    (site / place).write_bytes(archive)
    (site / "index.html").write_text(text.replace("@PLACE@", place).replace("@PACK@", ""), encoding="utf-8")


main(*map(Path, sys.argv[1:]))
