"""What the tests of the package for Python share: the package beside the program, and how checks are reported."""

import contextlib
import os
import sys
import types
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


def refused(name, act, said="", kind=ValueError):
    """Whether an act raises an error of a kind that says something."""
    try:
        act()
        check(f"{name} is refused", False, "nothing was raised")
    except Exception as error:  # pylint: disable=broad-except
        check(f"{name} is refused", isinstance(error, kind) and said in str(error), f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def notebook(display):
    """Within it, the package finds itself in a notebook that displays so."""
    shell = types.SimpleNamespace(kernel=object())
    sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
    sys.modules["IPython.display"] = types.SimpleNamespace(display=display)
    yield
    del sys.modules["IPython"], sys.modules["IPython.display"]
