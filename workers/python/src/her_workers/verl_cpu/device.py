"""The module that verl takes for `torch.<device>`: torch.cpu, and the calls that torch.cpu lacks."""

import resource
from types import ModuleType
from typing import Any

import psutil
import torch

Device = torch.device | int | str | None


class CpuDevice(ModuleType):
    """`torch.cpu` with the memory and random-state functions that verl expects of an accelerator."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch.cpu, name)

    @staticmethod
    def get_device_name(device: Device = None) -> str:
        return "CPU"

    @staticmethod
    def set_device(device: Device) -> None:
        return None

    @staticmethod
    def synchronize(device: Device = None) -> None:
        return None

    @staticmethod
    def empty_cache() -> None:
        return None

    @staticmethod
    def ipc_collect() -> None:
        return None

    @staticmethod
    def reset_peak_memory_stats(device: Device = None) -> None:
        return None

    @staticmethod
    def memory_allocated(device: Device = None) -> int:
        """Resident bytes of this process."""
        return int(psutil.Process().memory_info().rss)

    @staticmethod
    def memory_reserved(device: Device = None) -> int:
        return CpuDevice.memory_allocated(device)

    @staticmethod
    def max_memory_allocated(device: Device = None) -> int:
        """Highest resident bytes of this process so far (Linux counts ru_maxrss in KiB)."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    @staticmethod
    def max_memory_reserved(device: Device = None) -> int:
        return CpuDevice.max_memory_allocated(device)

    @staticmethod
    def mem_get_info(device: Device = None) -> tuple[int, int]:
        """Available and total bytes of the machine."""
        memory = psutil.virtual_memory()
        return memory.available, memory.total

    @staticmethod
    def get_rng_state(device: Device = None) -> torch.Tensor:
        return torch.get_rng_state()

    @staticmethod
    def set_rng_state(state: torch.Tensor, device: Device = None) -> None:
        torch.set_rng_state(state)
