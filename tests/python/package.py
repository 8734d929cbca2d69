"""What the tests of the package for Python share: the package beside the program, and how a check is reported."""

import os
import sys
from pathlib import Path

PROGRAM = Path(os.environ["HEADSCOPE"])
sys.path.insert(0, str(PROGRAM.parent / "python"))
try:
    import headscope
except ImportError as error:
    print(f"skip - the package for Python: {error}")
    sys.exit(0)


def check(name, good, about=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        print(f"#   {about}")
