"""The peers' environments, and what the tables say about the machine: its processor, versions, date."""

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from benchmarks.peers import PEERS

ROOT = Path(__file__).parents[1]
HIPS_FOLDER = ROOT / ".venv-hips"
HIPS_PACKAGES = ("autograd>=1.7", "matplotlib>=3.8", "scikit-learn>=1.5")

VERSIONS = """\
import importlib.metadata, json, sys
found = {}
for package in sys.argv[1:]:
    try:
        found[package] = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        found[package] = "missing"
print(json.dumps(found))
"""


def python_of(peer):
    """Return the Python that runs a peer."""
    if not PEERS[peer].own_environment:
        return Path(sys.executable)
    return HIPS_FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install_peers():
    """Make HIPS autograd's own environment, which it needs because its import name is ours."""
    subprocess.run([sys.executable, "-m", "venv", HIPS_FOLDER], check=True)
    subprocess.run([python_of("HIPS arrays"), "-m", "pip", "install", "--quiet", *HIPS_PACKAGES], check=True)


def missing(peer, reason=""):
    """Return what a table says about a peer that is not installed."""
    advice = f": {PEERS[peer].install}" if PEERS[peer].install else ""
    return f"missing{advice}{f' ({reason})' if reason else ''}"


def versions():
    """Return {package: version} of what is compared, and of the packages that a notebook imports."""
    found = {}
    for peer in ("Tensor", "HIPS arrays"):  # one in each environment
        python, own = python_of(peer), PEERS[peer].own_environment
        packages = {name for p in PEERS.values() if p.own_environment == own for name in p.packages}
        packages |= set() if own else {"matplotlib", "scikit-learn"}
        answer = {package: "missing" for package in packages}
        if python.exists():
            command = [python, "-E", "-P", "-c", VERSIONS, *sorted(packages)]
            answer = json.loads(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout)
        found |= {f"HIPS {package}" if own else package: version for package, version in sorted(answer.items())}
    return found


def machine():
    """Return lines about the machine, the versions and the day."""
    packages = ", ".join(f"{package} {version}" for package, version in versions().items())
    return [
        f"{processor()}, {os.cpu_count()} cores, {platform.system()}; "
        f"{platform.python_implementation()} {platform.python_version()}",
        packages,
        f"{datetime.date.today():%Y-%m-%d}",
    ]


def processor():
    """Return the processor's model."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
