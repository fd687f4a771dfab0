"""verl's platform "cpu". Importing this module registers it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import torch
import torch.distributed as dist
from verl.plugin.platform import PlatformBase, PlatformRegistry

from her_workers.verl_cpu import is_selected
from her_workers.verl_cpu.device import CpuDevice

RENDEZVOUS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@PlatformRegistry.register(platform="cpu")
class CpuPlatform(PlatformBase):
    """One CPU as one device. Ray must be told of one GPU per device that this stands for."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module: ModuleType = CpuDevice("her_cpu_device")

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        # Never found by probing: a GPU machine must not fall back to a CPU without being told to.
        return is_selected()

    def current_device(self) -> torch.device:  # type: ignore[override]
        # verl hands this on to Tensor.to(); an int would mean a CUDA device there.
        return torch.device("cpu")

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return None

    def synchronize(self, device_index: int | None = None) -> None:
        return None

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return None

    def empty_cache(self) -> None:
        return None

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        return None, None

    def communication_backend_name(self) -> str:
        """Name of the collective backend; opens the process group first where one is due.

        verl composes the string "cpu:gloo,<device>:<this>", which names the CPU twice here and which torch
        refuses. It does so only after asking whether a group exists, so an open group settles it.
        """
        if not dist.is_initialized() and all(name in os.environ for name in RENDEZVOUS):
            dist.init_process_group(
                backend="cpu:gloo",
                rank=int(os.environ["RANK"]),
                world_size=int(os.environ["WORLD_SIZE"]),
                init_method=os.environ.get("DIST_INIT_METHOD"),
            )
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return None

    def profiler_stop(self) -> None:
        return None

    def ray_resource_name(self) -> str:
        # Not a resource of our own: verl asks Ray for accelerator ids, which Ray keeps only for names it knows.
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self) -> bool:
        # Weights then reach vLLM through shared memory instead of CUDA handles.
        return False

    def cudart(self) -> None:
        return None
