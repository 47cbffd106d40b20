"""The wheels that Pyodide does not have: the course's own, those that it needs from PyPI, and the kernel's."""

import base64
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

from packaging.requirements import Requirement

from site_build.page.distribution import LATER, LESSONS, MODULES, normal

KERNELS = Path(__file__).with_name("kernel") / "page_kernel.py"
SPARE = re.compile(r"\.data/data/|/(?:lab|nb)extension/|^figures/gallery/.*\.svg$|^exercises/course/notebooks/")
PARTS_OF_JUPYTER = {"jupyterlab-widgets", "widgetsnbextension"}  # of the site, not of its Python
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def collect(root, folder, lock, kernels):
    """Return {name: (wheel, entry for the lock)} of what the course needs and a lock lacks, or has in another version.

    root: the project's. folder: for the wheels. kernels: the folder of the kernel's wheels.
    """
    pip("wheel", "--no-deps", "--wheel-dir", folder, root)
    slim(next(folder.glob("*.whl")))
    kernels_part(folder)
    found, wheels = {}, [*folder.glob("*.whl"), *sorted(kernels.glob("*.whl"))]
    while wheels:
        asked = []
        for wheel in wheels:
            entry, more = described(wheel, lock)
            if entry["name"] not in PARTS_OF_JUPYTER:
                found[entry["name"]] = wheel, entry
                asked += more
        missing = [each for each in asked if normal(each.name) not in found and not serves(lock, each)]
        wheels = [slim(each) for each in fetched(missing, folder, lock["info"]["python"])]
    for _, entry in found.values():
        entry["depends"] = sorted(name for name in entry["depends"] if name in found or name in lock["packages"])
    return found


def kernels_part(folder):
    """Make the wheel of the page's additions to its kernel: a module, and the list that it reads."""
    about = "page_kernel-1.dist-info"
    files = {
        "page_kernel.py": KERNELS.read_text(encoding="utf-8"),
        "later.json": json.dumps({"lessons": LESSONS, "modules": LATER | MODULES}),
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: page-kernel\nVersion: 1\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: site_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    hashes = {name: hashlib.sha256(text.encode()).digest() for name, text in files.items()}
    lines = [f"{name},sha256={base64.urlsafe_b64encode(found).decode().rstrip('=')}," for name, found in hashes.items()]
    files[f"{about}/RECORD"] = "\n".join([*lines, f"{about}/RECORD,,"])
    with zipfile.ZipFile(folder / "page_kernel-1-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)  # without a time, so that its hash is the same for each build


def slim(wheel):
    """Remove from a wheel what only JupyterLab on a computer, README or the command `backprop` uses; return it."""
    with zipfile.ZipFile(wheel) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if not SPARE.search(name)}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in kept.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return wheel


def described(wheel, lock):
    """Return (a wheel's entry for a lock, the Requirements that it has in a browser)."""
    archive = zipfile.Path(wheel)
    about = PathDistribution(next(place for place in archive.iterdir() if place.name.endswith(".dist-info")))
    name = normal(about.metadata["Name"])
    major, minor, _ = lock["info"]["python"].split(".")
    browser = {"sys_platform": "emscripten", "platform_system": "Emscripten", "platform_machine": "wasm32"}
    browser |= {"os_name": "posix", "python_version": f"{major}.{minor}", "python_full_version": lock["info"]["python"]}
    asked = [Requirement(text) for text in about.requires or ()]
    asked = [each for each in asked if not each.marker or each.marker.evaluate({**browser, "extra": ""})]
    asked = [each for each in asked if normal(each.name) not in PARTS_OF_JUPYTER]
    return {
        "name": name,
        "version": about.metadata["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted({place.name.removesuffix(".py") for place in archive.iterdir() if is_module(place)}),
        "depends": [normal(each.name) for each in asked],
    }, asked


def is_module(place):
    """Return whether a place in a wheel is a module or a package."""
    return place.name.endswith(".py") or (place / "__init__.py").exists()


def serves(lock, requirement):
    """Return whether a lock has what is required."""
    entry = lock["packages"].get(normal(requirement.name))
    return entry is not None and requirement.specifier.contains(entry["version"], prereleases=True)


def fetched(requirements, folder, python):
    """Return the required wheels in plain Python that were not in the folder yet, from PyPI."""
    before, named = {*folder.glob("*.whl")}, {f"{each.name}{each.specifier}" for each in requirements}
    if named:
        pip(
            *("download", "--no-deps", "--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"),
            *(f"--python-version={python}", f"--dest={folder}", *sorted(named)),
        )
    return sorted({*folder.glob("*.whl")} - before)


def pip(*arguments):
    """Run pip. Raise RuntimeError with its message if it fails."""
    ran = subprocess.run([*PIP, *map(str, arguments)], capture_output=True, encoding="utf-8")
    if ran.returncode:
        raise RuntimeError(f"pip failed:\n{ran.stderr}")
