"""The bytecode of what the kernel imports, put next to its source at build time: a browser compiles slowly.

Pyodide's own Python makes it, in Node.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import zipfile
from pathlib import Path, PurePosixPath

from site_build.page import distribution

KERNEL = Path(__file__).with_name("kernel")
IMPORTS = "import pyodide_kernel, page_kernel, micropip, piplite.piplite"
LIBRARY = "python_stdlib.zip"
IN_LIBRARY, IN_PACKAGES = "/lib/python312.zip/", "/lib/python3.12/site-packages/"  # where both are for Python


def add(folder, lock):
    """Add bytecode to Pyodide's files in a folder, and new hashes to its lock. Raise RuntimeError if Node fails."""
    found = compiled(folder)
    write(folder / LIBRARY, found, IN_LIBRARY, "{0}/{1}.pyc")
    for entry in lock.values():
        wheel = folder / entry["file_name"]  # or an address
        if wheel.exists() and write(wheel, found, IN_PACKAGES, "{0}/__pycache__/{1}.cpython-312.pyc"):
            entry["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    place = folder / distribution.LOCK
    told = json.loads(place.read_text(encoding="utf-8"))
    place.write_text(json.dumps(told | {"packages": lock}, sort_keys=True), encoding="utf-8")


def compiled(folder):
    """Return {file, where Python has it: its bytecode} of all that the kernel's start imports."""
    code = (KERNEL / "compiled.py").read_text(encoding="utf-8")
    command = [shutil.which("node") or "node", KERNEL / "bytecode.js", folder.resolve()]
    command += [json.dumps(distribution.KERNEL), IMPORTS, code]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8")
    if ran.returncode:
        raise RuntimeError(f"Node could not compile what the kernel imports:\n{ran.stderr[-2000:]}")
    return {file: base64.b64decode(code) for file, code in json.loads(ran.stdout).items()}


def write(archive, codes, folder, pattern):
    """Add bytecode of what is in an archive to it, under names of a pattern; return how many. folder: Python's."""
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        names = [name for name in sorted(opened.namelist()) if folder + name in codes]
        for name in names:
            place = PurePosixPath(name)
            at = pattern.format(place.parent, place.stem).removeprefix("./")
            opened.writestr(zipfile.ZipInfo(at), codes[folder + name], zipfile.ZIP_DEFLATED)  # without a time
    return len(names)
