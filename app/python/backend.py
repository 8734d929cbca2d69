"""Builds the wheel for pip (PEP 517). Everything but the packing is done by app/python/build, in the build folder of the
program, so that what the program has built is not built again, and nothing is downloaded."""

import base64
import glob
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
    # Modules for other versions of Python may have been built in the same folder.
    files = {os.path.relpath(path, built): Path(path).read_bytes()
             for path in glob.glob(f"{glob.escape(str(built))}/headscope/**", recursive=True)
             if os.path.isfile(path) and "__pycache__" not in path
             and (not path.endswith(".so") or path.endswith(sysconfig.get_config_var("EXT_SUFFIX")))}
    lines = ["Metadata-Version: 2.1", "Name: headscope", f"Version: {version}", "Requires-Python: >=3.9",
             *(f"Requires-Dist: {each}" for each in dependencies)]
    files[f"{about}/METADATA"] = "".join(f"{line}\n" for line in lines).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: headscope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    name = f"headscope-{version}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record += f"{path},sha256={digest},{len(data)}\n"
        wheel.writestr(f"{about}/RECORD", f"{record}{about}/RECORD,,\n")
    return name
