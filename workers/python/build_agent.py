"""Builds the agent's zipapp. The same source gives the same bytes: usage `python3 build_agent.py OUT.pyz`."""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "src" / "her_agent"
SHEBANG = b"#!/usr/bin/env python3\n"
EPOCH = (1980, 1, 1, 0, 0, 0)
MAIN = b"import sys\n\nfrom her_agent.cli import main\n\nsys.exit(main(sys.argv[1:]))\n"


def build() -> bytes:
    """The zipapp's bytes: sources sorted, uncompressed (no dependence on a zlib), fixed times, no tests."""
    files = {"__main__.py": MAIN}
    for path in sorted(SOURCE.rglob("*.py")):
        if not path.name.startswith("test_") and path.name != "conftest.py":
            files[f"her_agent/{path.relative_to(SOURCE).as_posix()}"] = path.read_bytes()
    body = io.BytesIO()
    body.write(SHEBANG)
    with zipfile.ZipFile(body, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            archive.writestr(entry, files[name])
    return body.getvalue()


def main(argv: list[str]) -> int:
    """Write the zipapp and print its SHA-256."""
    if len(argv) != 1:
        print("usage: build_agent.py OUT.pyz", file=sys.stderr)
        return 2
    data = build()
    target = Path(argv[0])
    target.write_bytes(data)
    target.chmod(0o755)
    print(hashlib.sha256(data).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
