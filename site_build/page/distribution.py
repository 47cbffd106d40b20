"""Pyodide, which is Python in a browser: its core from npm, its packages from a folder or from its makers."""

import base64
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

VERSION = "0.27.7"
INTEGRITY = "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"

# The kernel needs these before it is ready. Named here, all are fetched in parallel, not one after another. Then come
# the lessons' packages, while the first lines are read.
KERNEL = ("sqlite3", "ipykernel", "comm", "pyodide-kernel", "ipython", "micropip", "piplite", "page-kernel")

LESSONS = "backprop-from-scratch"
MODULES = dict.fromkeys(("autograd", "exercises", "figures"), LESSONS) | {"numpy": "numpy"}  # {module: its package}

# Loaded only when a module is imported: {module: its package}. And what the lessons have no use for.
LATER = {"matplotlib": "matplotlib", "PIL": "pillow", "contourpy": "contourpy", "fontTools": "fonttools"}
NEVER = {"jedi", "openssl", "pytz", "ssl"}
SIZES = json.loads(Path(__file__).with_name("sizes.json").read_text(encoding="utf-8"))  # bytes of the makers' files


def fetch(folder):
    """Put Pyodide's core in a folder, and return its lock: the packages, and the hash of each."""
    if not (npm := shutil.which("npm")):
        raise ValueError("npm is missing, from which the core of Pyodide comes: apt install npm, or see nodejs.org.")
    folder.mkdir(parents=True)
    ran = subprocess.run(
        [npm, "pack", "--silent", f"pyodide@{VERSION}"], cwd=folder, capture_output=True, encoding="utf-8"
    )
    if ran.returncode:
        raise RuntimeError(f"npm could not fetch pyodide@{VERSION}:\n{ran.stderr}")
    (packed,) = folder.glob("*.tgz")
    data = packed.read_bytes()
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != INTEGRITY:
        raise ValueError(f"What npm has as pyodide@{VERSION} is not what this was written for: its hash is another.")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name in (*CORE, LOCK):
            (folder / name).write_bytes(archive.extractfile(f"package/{name}").read())
    return json.loads((folder / LOCK).read_text(encoding="utf-8"))


def held_by(source, lock):
    """Return a lock without the plain Python wheels that a distribution's folder lacks: PyPI has those too."""
    if source is None:
        return lock
    return lock | {
        "packages": {
            name: entry
            for name, entry in lock["packages"].items()
            if not entry["file_name"].endswith("none-any.whl") or (source / entry["file_name"]).exists()
        }
    }


def add(folder, core, lock, own, source):
    """Put Pyodide in a folder of the site, with its packages from the lock.

    core: the folder that `fetch` filled. own: {name: (wheel, entry of the lock)} of what Pyodide does not have, or not
    the same. source: the folder of a Pyodide distribution; or None, and an address names each package. Raise ValueError
    if one of its files is missing, or is not the lock's.
    """
    folder.mkdir(parents=True)
    for name in CORE:
        shutil.copy(core / name, folder)
    known = {name: dict(entry) for name, entry in lock["packages"].items() if name != "autograd"}  # another library's
    for name, (wheel, entry) in own.items():
        shutil.copy(wheel, folder)
        known[name] = entry
    for entry in known.values():
        entry["depends"] = [name for name in entry["depends"] if normal(name) not in {*LATER.values(), *NEVER}]
    needed = closure([*KERNEL, LESSONS, *LATER.values()], known)
    for name in sorted(needed - own.keys()):
        if source:
            copy(source / known[name]["file_name"], folder, known[name]["sha256"])
    if source:
        known = {name: known[name] for name in sorted(needed)}
    else:
        for name in known.keys() - own.keys():
            known[name]["file_name"] = ADDRESS + known[name]["file_name"]
    text = json.dumps({"info": lock["info"], "packages": known}, sort_keys=True)
    (folder / LOCK).write_text(text, encoding="utf-8")
    return known


def closure(names, known):
    """Return all that some packages need, including themselves."""
    found, left = set(), list(names)
    while left:
        if (name := normal(left.pop())) not in found:
            found.add(name)
            left += known[name]["depends"]
    return found


def normal(name):
    """Return a package's name as a lock's key."""
    return name.lower().replace("_", "-").replace(".", "-")


def copy(place, folder, sha256):
    """Copy a file of a distribution. Raise ValueError unless it has this hash."""
    if not place.exists():
        raise ValueError(
            f"{place.name} is not in {place.parent}. The folder of a whole distribution of Pyodide {VERSION} is needed "
            f"here, pyodide-{VERSION}.tar.bz2 unpacked."
        )
    if hashlib.sha256(place.read_bytes()).hexdigest() != sha256:
        raise ValueError(f"{place} is not the file of Pyodide {VERSION}: its hash is another.")
    shutil.copy(place, folder)
