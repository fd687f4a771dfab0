"""verl and vLLM on a CPU, through their own extension points. Does nothing unless VERL_PLATFORM=cpu."""

import os


def is_selected() -> bool:
    """Whether this process was asked to run verl on a CPU (environment VERL_PLATFORM=cpu)."""
    return os.environ.get("VERL_PLATFORM", "").strip().lower() == "cpu"
