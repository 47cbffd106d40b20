"""The bytecode of what the kernel imports, put in the place of its source at build time: a browser compiles slowly.

Pyodide's own Python makes it, in Node.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

from site_build.page import distribution

KERNEL = Path(__file__).with_name("kernel")
IMPORTS = "import pyodide_kernel, page_kernel, micropip, piplite.piplite"
LIBRARY = "python_stdlib.zip"
IN_LIBRARY, IN_PACKAGES = "/lib/python312.zip/", "/lib/python3.12/site-packages/"  # where both are for Python
SPARE = re.compile(  # of no use on the page, unless the start imports it: rare encodings and lexers, mail, servers
    r"^pygments/lexers/|^IPython/(testing|sphinxext)/|^prompt_toolkit/contrib/|/win32\w*\.py$|^(xmlrpc|wsgiref)/"
    r"|^(imaplib|mailbox|nntplib|poplib|smtplib|telnetlib)\.py$"
    r"|^encodings/(big5|cp(?!437|1252)|euc_|gb|hp_|hz|iso|johab|koi8|kz|mac_|palmos|ptcp|shift_|tis)"
)


def add(folder, lock):
    """Add bytecode to Pyodide's files in a folder, and new hashes to its lock. Raise RuntimeError if Node fails."""
    found = compiled(folder)
    write(folder / LIBRARY, found, IN_LIBRARY)
    for entry in lock.values():
        wheel = folder / entry["file_name"]  # or an address
        if wheel.exists() and write(wheel, found, IN_PACKAGES):
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


def write(archive, codes, folder):
    """Put bytecode into an archive in the place of its source; return of how many modules. folder: Python's.

    Without source, a traceback has no lines of these modules: of the library and of the kernel, not of the course.
    """
    with zipfile.ZipFile(archive) as opened:
        held = {
            name: opened.read(name) for name in opened.namelist() if folder + name in codes or not SPARE.search(name)
        }
    found = [name for name in held if folder + name in codes]
    if found:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
            for name, data in held.items():
                name, data = (f"{name}c", codes[folder + name]) if name in found else (name, data)
                opened.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # without a time
    return len(found)
