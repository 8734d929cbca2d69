"""What the tests of the package for Python share: the package beside the program, and how checks are reported."""

import contextlib
import inspect
import os
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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
def imported(modules):
    """Within it, modules with these contents are imported."""
    sys.modules.update({name: types.SimpleNamespace(**contents) for name, contents in modules.items()})
    yield
    for name in modules:
        del sys.modules[name]


def notebook(display):
    """Within it, the package finds itself in a notebook that displays so."""
    shell = types.SimpleNamespace(kernel=object())
    return imported({"IPython": {"get_ipython": lambda: shell}, "IPython.display": {"display": display}})


def run(*tests):
    """Runs tests in a temporary folder, which those with a parameter are given."""
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            test(*(Path(folder) for _ in inspect.signature(test).parameters))
