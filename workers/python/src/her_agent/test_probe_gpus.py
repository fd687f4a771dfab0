"""GPUs as the tools of their makers tell them: several generations, and what goes wrong."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest

from her_agent import probe_gpus, probe_nvidia, probe_rocm

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "gpu-tools"
MIB = 1 << 20


def xml(name: str) -> dict[str, object]:
    return probe_nvidia.from_xml((RECORDED / name).read_text())


def test_a_card_with_work_of_somebody_on_it() -> None:
    found = xml("nvidia-515-v11-t4.xml")
    assert (found["vendor"], found["driver"], found["cuda"]) == ("nvidia", "515.105.01", "11.7")
    assert found["gpus"] == [
        {
            "index": 0,
            "name": "Tesla T4",
            "uuid": "GPU-d37e67a5-91dd-3774-a5cb-99096249601a",
            "totalBytes": 15360 * MIB,
            "usedBytes": 1032 * MIB,
            "freeBytes": 13939 * MIB,
            "uncorrectedErrors": 0,
            "remapPending": False,
            "remapFailed": False,
            "mig": False,
            "persistence": False,
            "processes": [
                {"pid": 675, "name": "/usr/lib/xorg/Xorg", "graphics": True, "bytes": 22 * MIB},
                {"pid": 5762, "name": "python", "graphics": False, "bytes": 1005 * MIB},
            ],
        }
    ]


def test_mig_is_seen_and_the_slices_memory_is_not_taken_for_the_cards() -> None:
    (gpu,) = xml("nvidia-535-v12-a100-mig.xml")["gpus"]
    assert gpu["mig"] is True
    assert gpu["totalBytes"] == 81920 * MIB
    assert gpu["processes"] == []


def test_what_a_card_does_not_tell_is_none() -> None:
    (gpu,) = xml("nvidia-513-v11-vgpu.xml")["gpus"]
    assert (gpu["uncorrectedErrors"], gpu["persistence"]) == (None, None)
    assert gpu["processes"] == [{"pid": 1188, "name": "", "graphics": False, "bytes": None}]
    (gpu,) = xml("nvidia-590-v13-pro-6000.xml")["gpus"]
    assert (gpu["uncorrectedErrors"], gpu["persistence"]) == (None, True)


def test_errors_of_memory_are_summed_in_the_old_and_the_new_words() -> None:
    old = (RECORDED / "nvidia-513-v11-vgpu.xml").read_text()
    old = old.replace("<device_memory>N/A</device_memory>\n\t\t\t\t\t<total>N/A", "<total>3")
    new = (RECORDED / "nvidia-590-v13-pro-6000.xml").read_text()
    for word, count in (("sram_uncorrectable_parity", 1), ("sram_uncorrectable_secded", 0), ("dram_uncorrectable", 2)):
        new = new.replace(f"<{word}>N/A<", f"<{word}>{count}<")
    new = new.replace("<remapped_row_pending>No", "<remapped_row_pending>Yes")
    assert probe_nvidia.from_xml(old)["gpus"][0]["uncorrectedErrors"] == 3
    (gpu,) = probe_nvidia.from_xml(new)["gpus"]
    assert (gpu["uncorrectedErrors"], gpu["remapPending"], gpu["remapFailed"]) == (3, True, False)


def test_csv_tells_the_same() -> None:
    gpus = (
        "0, NVIDIA A100-PCIE-40GB, GPU-e82ab913, 565.57.01, 40960 MiB, 1 MiB, 40447 MiB, 0, Disabled, Enabled\n"
        "1, Tesla V100, GPU-4eac38f2, 565.57.01, 16384 MiB, 1274 MiB, 14871 MiB, [N/A], [N/A], [Not Supported]\n"
    )
    apps = "GPU-4eac38f2, 1912379, 518 MiB, /opt/a, b/python\nGPU-other, 1, 2 MiB, x\n"
    found = probe_nvidia.from_csv(gpus, apps)
    assert (found["driver"], found["cuda"]) == ("565.57.01", None)
    first, second = found["gpus"]
    assert (first["totalBytes"], first["uncorrectedErrors"], first["persistence"]) == (40960 * MIB, 0, True)
    assert first["processes"] == []
    assert (second["uncorrectedErrors"], second["mig"], second["persistence"]) == (None, False, None)
    assert second["processes"] == [{"pid": 1912379, "name": "/opt/a, b/python", "graphics": False, "bytes": 518 * MIB}]


@pytest.mark.parametrize(
    ("file", "name", "uuid", "total"),
    [
        ("rocm-5.9-mi50.json", "Radeon Instinct MI50 32GB", "0x2f048617326b1ea", 34342961152),
        ("rocm-6.0-mi100.json", "Arcturus GL-XL [Instinct MI100]", "0x79ccd55167a2124a", 34342961152),
        ("rocm-6.1-rx6700xt.json", "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "0000:07:00.0", 12868124672),
    ],
)
def test_rocm_in_the_words_of_its_versions(file: str, name: str, uuid: str, total: int) -> None:
    found = probe_rocm.from_json((RECORDED / file).read_text())
    first = found["gpus"][0]
    assert (found["vendor"], first["name"], first["uuid"], first["totalBytes"]) == ("amd", name, uuid, total)
    assert first["freeBytes"] == total - first["usedBytes"]


def test_rocm_processes_and_warnings_before_the_object() -> None:
    card = {"card0": {}, "system": {"PID19971": "python, 1, 1139888128, 0, unknown", "PID7": "x, 0, 0, 0, unknown"}}
    found = probe_rocm.from_json(f"WARNING: AMD GPU device(s) is/are in a low-power state.\n{json.dumps(card)}")
    assert [one["pid"] for one in found["gpus"][0]["processes"]] == [19971]
    with pytest.raises(ValueError, match="no JSON"):
        probe_rocm.from_json("No JSON data to report")


def tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_a_tool_that_fails_is_told_in_its_own_words(tools: Path) -> None:
    tool(tools, "nvidia-smi", "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18")
    found = probe_gpus.gpu_facts(False)
    assert (found["tool"], found["gpus"]) == ("nvidia-smi", [])
    assert found["problem"] == "Failed to initialize NVML: Driver/library version mismatch"


def test_csv_is_asked_where_the_xml_is_cut_off(tools: Path) -> None:
    row = "0, NVIDIA H100, GPU-1, 550.1, 81559 MiB, 1 MiB, 81000 MiB, 0, Disabled, Enabled"
    lost = "Unable to determine the device handle for GPU1: 0000:3B:00.0: Unknown Error"
    tool(
        tools,
        "nvidia-smi",
        f"case $1 in -q) echo '<nvidia_smi_log><gpu>';; --query-gpu*) echo '{row}'; echo '{lost}';; esac",
    )
    found = probe_gpus.gpu_facts(False)
    assert [gpu["name"] for gpu in found["gpus"]] == ["NVIDIA H100"]
    assert found["problem"] == lost


def test_whose_a_process_is(tools: Path) -> None:
    text = (RECORDED / "nvidia-515-v11-t4.xml").read_text().replace("5762", str(os.getpid()))
    (tools / "out.xml").write_text(text)
    tool(tools, "nvidia-smi", f"cat {tools}/out.xml")
    (gpu,) = probe_gpus.gpu_facts(False)["gpus"]
    assert gpu["processes"][1]["user"] == pwd.getpwuid(os.getuid()).pw_name
