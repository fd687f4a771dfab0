"""Which versions a Python environment holds, by the names of its metadata folders: nothing of it is run."""

from __future__ import annotations

import glob
import os
import re


def environment_facts(path: str, packages: list[str]) -> dict[str, object]:
    """Versions of the packages asked for; one that is not there is left out."""
    folder = os.path.expanduser(path)
    python = os.path.join(folder, "bin", "python")
    wanted = {_normal(name): name for name in packages}
    versions: dict[str, str] = {}
    for place in glob.glob(os.path.join(glob.escape(folder), "lib", "python3.*", "site-packages")):
        for entry in os.listdir(place):
            match = re.fullmatch(r"(.+)-([^-]+)\.(?:dist|egg)-info", entry)
            if match is not None and _normal(match[1]) in wanted:
                versions[wanted[_normal(match[1])]] = match[2]
    return {
        "path": folder,
        "exists": os.path.isdir(folder),
        "python": os.access(python, os.X_OK),
        "versions": versions,
    }


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
