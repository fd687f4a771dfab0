"""What verl loads by the entry point group `verl.plugins`.

verl only imports the entry point and calls nothing, so the registration is an effect of the import.
verl also logs a failing plug-in at debug level only: a missing platform then shows as "Unknown platform 'cpu'".
"""

from her_workers.verl_cpu import is_selected

if is_selected():
    import her_workers.verl_cpu.platform  # noqa: F401
