"""The page's additions to its kernel: lessons' packages, imports that fetch packages, completion without jedi.

The packages of the lessons come once the kernel is ready, others when a module is imported. This runs only in the
browser, where Python is in a worker, which may wait for a file.
"""

import hashlib
import importlib
import importlib.machinery
import io
import json
import sys
import sysconfig
import zipfile
from pathlib import Path

TOLD = json.loads(Path(__file__).with_name("later.json").read_text(encoding="utf-8"))
LATER, LESSONS = TOLD["modules"], TOLD["lessons"]  # {module: its package}, the name of a package
SOON = 1000  # milliseconds within which the kernel reports that it is ready


class Later:
    """The last of Python's finders: it fetches the package of a module that nothing else has found."""

    def find_spec(self, name, path=None, target=None):
        package = LATER.pop(name, None)
        if package is None:
            return None
        try:
            fetch(package)
        except Exception as fault:
            LATER[name] = package
            raise ImportError(f"{package} could not be fetched ({fault}). Run the cell again.", name=name) from fault
        importlib.invalidate_caches()
        return importlib.machinery.PathFinder.find_spec(name)


def fetch(package):
    """Fetch a package of Pyodide's lock, with everything it needs that is not here yet, and unpack them."""
    import pyodide_js
    from js import Reflect

    known, loaded = pyodide_js._api.lockfile_packages.to_py(), pyodide_js.loadedPackages
    left, found = [package], []
    while left:
        name = left.pop()
        if name not in found and not Reflect.has(loaded, name):
            found.append(name)
            left += known[name]["depends"]
    for name in found:
        data = read(known[name]["file_name"])
        if hashlib.sha256(data).hexdigest() != known[name]["sha256"]:
            raise ValueError(f"the file of {name} is another than it should be")
        zipfile.ZipFile(io.BytesIO(data)).extractall(sysconfig.get_path("purelib"))
        Reflect.set(loaded, name, "default channel")


def read(name):
    """Return the bytes of a file of the lock; Python waits for it."""
    import pyodide_js
    from js import URL, XMLHttpRequest

    request = XMLHttpRequest.new()
    request.open("GET", URL.new(name, pyodide_js._api.config.indexURL).href, False)
    request.responseType = "arraybuffer"
    request.send()
    if request.status != 200:
        raise OSError(f"status {request.status}")
    return request.response.to_bytes()


def load():
    """Load what the lessons need; a cell that imports some of it waits for the end."""
    import pyodide_js

    return pyodide_js.loadPackage(LESSONS)


def install(shell):
    """Load the lessons' packages once the kernel is ready, and let imports fetch modules.

    Tab completes what exists, without jedi, which reads code.
    """
    from js import setTimeout
    from pyodide.ffi import create_once_callable

    setTimeout(create_once_callable(load), SOON)
    sys.meta_path.append(Later())
    shell.Completer.use_jedi = False
