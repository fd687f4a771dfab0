"""Makes Megatron-SWIFT's argument classes importable where Megatron-Core is not installed.

`swift.megatron` starts Megatron when it is imported, and Megatron wants CUDA. The argument classes name a handful of
its objects at the top of their module and use them in `__post_init__` alone. Here those names are empty modules, and
`swift.megatron` is its folder without what it starts: enough to read the declarations. Nothing of them is ever called.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType


def put(name: str, **names: object) -> None:
    """An empty module of that name, and of its parents."""
    module = ModuleType(name)
    module.__dict__.update({"__path__": [], **names})
    sys.modules[name] = module
    parent, _, leaf = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], leaf, module)


def megatron_arguments() -> tuple[type, type]:
    """The argument classes of `megatron sft` and `megatron rlhf`."""
    swift = find_spec("swift")
    if swift is None or not swift.submodule_search_locations:
        raise SystemExit("ms-swift is not installed here")
    put("megatron")
    put("megatron.core", __version__="0", mpu=None)
    put("megatron.core.transformer")
    put("megatron.core.transformer.enums", AttnBackend=None)
    put("mcore_bridge")
    put("mcore_bridge.model", get_mcore_model_type=None, get_model_meta=None)
    put("swift.megatron", __path__=[f"{swift.submodule_search_locations[0]}/megatron"])
    put("swift.megatron.utils", initialize_megatron=None)
    from swift.megatron.arguments import MegatronRLHFArguments, MegatronSftArguments

    return MegatronSftArguments, MegatronRLHFArguments
