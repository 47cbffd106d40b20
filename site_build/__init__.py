"""Sites made from the course: static files that need no special server."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
TITLE = "Backpropagation from scratch"
HUNT_FILE = ROOT / "exercises" / "course" / "bughunt.html"  # the game, which the wheel and both sites have


def folder_for(out, mark, kind):
    """Return the whole path of a site's folder. Raise ValueError if it holds anything but a site with this mark."""
    out = Path(out).resolve()
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not (out / mark).exists():
        raise ValueError(f"{out} holds something else than a {kind}. Name another folder, or empty it.")
    return out


def put(made, out, *left_out):
    """Put a finished site into its folder, replacing what is there, without the files of these patterns."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(made, out, ignore=shutil.ignore_patterns(*left_out))
    shutil.copy(HUNT_FILE, out)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):  # these have to go with every copy
        shutil.copy(ROOT / name, (out / name).with_suffix(".txt"))
