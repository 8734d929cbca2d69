#!/usr/bin/python3
# Needs: program
"""If the page of app/web is built, it opens and draws. Nothing is built or installed for this test."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
page = Path(os.environ.get("HEADSCOPE_BUILD", ROOT / ".build")) / "web/headscope.html"
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
try:
    from browser import Browser
except ImportError:
    Browser = None

if not page.exists():
    print("skip - app/web/build has not made the page")
elif Browser is None or not shutil.which("chromium"):
    print("skip - there is no chromium or no python3-websocket")
else:
    with Browser() as browser:
        said = browser.open(f"file://{page}")
        complaints = browser.complaints()
        print(f"{'not ok' if said or complaints else 'ok'} - the page opens")
        print("#  ", said, *complaints[:3])
