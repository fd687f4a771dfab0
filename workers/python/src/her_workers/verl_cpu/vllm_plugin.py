"""What vLLM loads in each of its processes by the entry point group `vllm.general_plugins`."""

from her_workers.verl_cpu import is_selected


def register() -> None:
    """Keeps linear weights as plain tensors, so that verl can load new ones into them.

    vLLM on a CPU packs each linear weight into a oneDNN handle and leaves an empty tensor behind; verl's weight
    update then fails on the shapes. Without oneDNN, vLLM takes its own plain path.
    """
    if not is_selected():
        return
    from vllm import _custom_ops

    _custom_ops._supports_onednn = False
