"""Hashes of folders: the rule, and what is refused rather than left out."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from her_agent.hashing import Changed, Unhashable, tree


def test_digest_is_over_the_sorted_list(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x").write_text("1")
    (tmp_path / "b.txt").write_text("2")
    (tmp_path / "é").write_text("3")
    found = tree(str(tmp_path))
    assert [item["path"] for item in found.files] == ["b.txt", "b/x", "é"]
    lines = "".join(f"{item['sha256']}  {item['path']}\n" for item in found.files)
    assert found.digest == hashlib.sha256(lines.encode()).hexdigest()
    assert found.files[1] == {"path": "b/x", "size": 1, "sha256": hashlib.sha256(b"1").hexdigest()}


def test_single_file_has_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("1")
    assert [item["path"] for item in tree(str(tmp_path / "f")).files] == ["f"]


def test_links_to_files_count_and_odd_things_are_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("1")
    (tmp_path / "link").symlink_to("real")
    assert len(tree(str(tmp_path)).files) == 2
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unhashable):
        tree(str(tmp_path))
    (tmp_path / "pipe").unlink()
    (tmp_path / "folder").symlink_to(tmp_path.parent)
    with pytest.raises(Unhashable):
        tree(str(tmp_path))


def test_change_while_hashing_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("1")
    with pytest.raises(Changed):
        tree(str(tmp_path), lambda count: path.write_text("22") and None)


def test_absent_path_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tree(str(tmp_path / "none"))
