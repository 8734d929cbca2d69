"""Builds the wheel for pip (PEP 517). Everything but the packing is done by app/python/build, in the build folder of the
program, so that what the program has built is not built again, and nothing is downloaded."""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    subprocess.run([HERE / "build", os.path.realpath(sys.executable)], check=True)
    built = Path(os.environ.get("HEADSCOPE_BUILD", HERE.parents[1] / ".build")) / "release/python"
    version, *dependencies = (built / "metadata.txt").read_text().split()
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{tag}-{tag}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    about = f"headscope-{version}.dist-info"
    files = {str(path.relative_to(built)): path.read_bytes()
             for path in map(Path, _files(built / "headscope")) if path.is_file()}
    files[f"{about}/METADATA"] = "".join(
        f"{line}\n" for line in ("Metadata-Version: 2.1", "Name: headscope", f"Version: {version}",
                                 "Requires-Python: >=3.9", *(f"Requires-Dist: {each}" for each in dependencies))).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: headscope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={_hash(data)},{len(data)}\n" for name, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    name = f"headscope-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def _files(folder):
    """The files of the package, which are links, without those that Python has compiled."""
    for path, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [each for each in folders if each != "__pycache__"]
        # Modules for other versions of Python may have been built in the same folder.
        yield from (os.path.join(path, name) for name in names
                    if not name.endswith(".so") or name == f"_core{sysconfig.get_config_var('EXT_SUFFIX')}")


def _hash(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
