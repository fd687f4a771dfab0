"""verl's FSDP2 engine for the device "cpu". verl imports it by `actor_rollout_ref.model.external_lib`.

It cannot come with the platform's plug-in: the engine registry is not importable yet while verl loads its plug-ins.
"""

import torch.nn as nn
from verl.workers.engine import EngineRegistry
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead

from her_workers.verl_cpu import is_selected


class CpuFSDPEngine(FSDPEngineWithLMHead):
    """The engine verl registers for CUDA, without the offload of frozen models to pinned host memory."""

    def _build_fsdp_module(self, module: nn.Module) -> nn.Module:
        # A frozen reference model is offloaded from the device to pinned memory. Here the device is host memory
        # already, and pinning needs an accelerator, so the module is built as if it were trained.
        config = self.engine_config
        if not config.forward_only:
            return super()._build_fsdp_module(module)
        object.__setattr__(config, "forward_only", False)  # the config is a frozen dataclass
        try:
            return super()._build_fsdp_module(module)
        finally:
            object.__setattr__(config, "forward_only", True)


if is_selected():
    EngineRegistry.register(model_type="language_model", backend=["fsdp", "fsdp2"], device="cpu")(CpuFSDPEngine)
