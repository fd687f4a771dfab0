"""What nvidia-smi says, in the shapes that its versions have: XML of `-q -x`, CSV of the queries."""

from __future__ import annotations

import re
from xml.etree import ElementTree

Gpu = dict[str, object]

QUERY = (
    "index,name,uuid,driver_version,memory.total,memory.used,memory.free,"
    "ecc.errors.uncorrected.volatile.total,mig.mode.current,persistence_mode"
)
APPS_QUERY = "gpu_uuid,pid,used_gpu_memory,process_name"


def from_xml(text: str) -> dict[str, object]:
    """Driver, CUDA and the GPUs of `nvidia-smi -q -x`. Raises ValueError where it is none."""
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"nvidia-smi answered no XML: {error}") from error
    if top.tag != "nvidia_smi_log":
        raise ValueError("nvidia-smi answered other XML than expected")
    return {
        "vendor": "nvidia",
        "driver": _said(top.findtext("driver_version")),
        "cuda": _said(top.findtext("cuda_version")),
        "gpus": [_gpu(index, one) for index, one in enumerate(top.findall("gpu"))],
    }


def _gpu(index: int, gpu: ElementTree.Element) -> Gpu:
    memory = gpu.find("fb_memory_usage")
    return {
        "index": index,
        "name": _said(gpu.findtext("product_name")),
        "uuid": _said(gpu.findtext("uuid")),
        "totalBytes": None if memory is None else _size(memory.findtext("total")),
        "usedBytes": None if memory is None else _size(memory.findtext("used")),
        "freeBytes": None if memory is None else _size(memory.findtext("free")),
        "uncorrectedErrors": _uncorrected(gpu.find("ecc_errors/volatile")),
        "remapPending": _yes(gpu.findtext("remapped_rows/remapped_row_pending"))
        or _yes(gpu.findtext("retired_pages/pending_retirement"))
        or _yes(gpu.findtext("retired_pages/pending_blacklist")),
        "remapFailed": _yes(gpu.findtext("remapped_rows/remapped_row_failure")),
        "mig": _said(gpu.findtext("mig_mode/current_mig")) == "Enabled",
        "persistence": _switch(gpu.findtext("persistence_mode")),
        "processes": [_process(one) for one in gpu.findall("processes/process_info")],
    }


def _uncorrected(volatile: ElementTree.Element | None) -> int | None:
    """Since the driver was loaded. Newer versions split the count by memory and by code, older by bits."""
    if volatile is None:
        return None
    old = volatile.findtext("double_bit/total")
    if old is not None:
        return _whole(old)
    counts = [_whole(one.text) for one in volatile if "uncorrectable" in one.tag]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _process(one: ElementTree.Element) -> dict[str, object]:
    return {
        "pid": _whole(one.findtext("pid")),
        "name": _said(one.findtext("process_name")) or "",
        "graphics": _said(one.findtext("type")) == "G",
        "bytes": _size(one.findtext("used_memory")),
    }


def from_csv(gpus: str, apps: str) -> dict[str, object]:
    """The same, as far as the queries tell it: CUDA's version is not among their words."""
    found: list[Gpu] = []
    driver = None
    for line in gpus.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(QUERY.split(",")) or not cells[0].isdigit():
            continue
        index, name, uuid, driver, total, used, free, errors, mig, persistence = cells
        found.append(
            {
                "index": int(index),
                "name": _said(name),
                "uuid": _said(uuid),
                "totalBytes": _size(total),
                "usedBytes": _size(used),
                "freeBytes": _size(free),
                "uncorrectedErrors": _whole(errors),
                "remapPending": False,
                "remapFailed": False,
                "mig": mig == "Enabled",
                "persistence": _switch(persistence),
                "processes": _apps(apps, uuid),
            }
        )
    return {"vendor": "nvidia", "driver": _said(driver), "cuda": None, "gpus": found}


def _apps(text: str, uuid: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for line in text.splitlines():
        # The name comes last, since it may hold commas.
        cells = [cell.strip() for cell in line.split(",", 3)]
        if len(cells) == 4 and cells[0] == uuid:
            name = _said(cells[3]) or ""
            found.append({"pid": _whole(cells[1]), "name": name, "graphics": False, "bytes": _size(cells[2])})
    return found


def _said(text: str | None) -> str | None:
    """A text that says something: N/A, [Not Supported] and the like do not."""
    value = (text or "").strip()
    silent = re.fullmatch(r"\[?(N/A|Not Supported|Unknown Error|Insufficient Permissions|GPU is lost|ERR!)\]?", value)
    return None if not value or silent or value.startswith("Requested functionality") else value


def _whole(text: str | None) -> int | None:
    value = _said(text)
    return int(value) if value is not None and value.isdigit() else None


def _size(text: str | None) -> int | None:
    """`81920 MiB`, or the number alone, which is MiB too."""
    match = re.fullmatch(r"(\d+)(?: (MiB|GiB|KiB))?", _said(text) or "")
    if match is None:
        return None
    return int(match[1]) * {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[match[2] or "MiB"]


def _yes(text: str | None) -> bool:
    return _said(text) == "Yes"


def _switch(text: str | None) -> bool | None:
    return {"Enabled": True, "Disabled": False}.get(_said(text) or "")
