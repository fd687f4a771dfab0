"""One small prepared attempt folder, shared by the tests that need a model or data."""

import importlib.util
import json
from pathlib import Path

import pytest

SPEC = {
    "seed": 5,
    "vocab": 512,
    "rows": {"sft": 96, "rl": 12, "rl_val": 6, "heldout": 24},
    "books": {"sft": 6, "rl": 3, "rl_val": 2, "heldout": 3},
    "model": {"hidden": 64, "layers": 2, "heads": 1, "kv_heads": 1, "head_dim": 64, "intermediate": 96},
}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `out/` of one small prepare run."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("needs a trainer environment (transformers)")
    from her_workers.prepare.__main__ import prepare
    from her_workers.prepare.spec import read_spec

    folder = tmp_path_factory.mktemp("prepare")
    (folder / "prepare.json").write_text(json.dumps(SPEC), encoding="utf-8")
    prepare(read_spec(folder / "prepare.json"), folder / "out")
    return folder / "out"
