"""Stands in for a trainer: logs steps as ms-swift does, RATE lines a second, until the file END is there.

    python3 metric_writer.py RATE END SECONDS

It writes `out/logging.jsonl`, ends by itself after SECONDS, and leaves in `out/written.json` how many steps it
logged. A step that is late is logged at once, so that the rate holds as long as there is a processor for it.
"""

from __future__ import annotations

import json
import os
import sys
import time

STEPS = 10_000_000


def line(step: int, seconds: float) -> dict[str, object]:
    """The numbers of a step, with the keys of ms-swift; `logged_at` is ours: Unix time in seconds."""
    return {
        "loss": round(0.2 + 2 / (1 + step / 1e4), 8),
        "grad_norm": round(1.5 + (step % 97) / 64, 8),
        "learning_rate": round(1e-5 * (1 - step / STEPS), 12),
        "token_acc": round(0.9 - 0.4 / (1 + step / 1e4), 8),
        "epoch": round(step / 5000, 4),
        "global_step/max_steps": f"{step}/{STEPS}",
        "percentage": f"{100 * step / STEPS:.2f}%",
        "elapsed_time": f"{seconds:.0f}s",
        "memory(GiB)": 21.37,
        "train_speed(iter/s)": round(step / max(seconds, 0.001), 6),
        "logged_at": round(time.time(), 4),
    }


def main(rate: float, end: str, most: float) -> None:
    """Log until told to end."""
    begin = time.monotonic()
    step = 0
    with open("out/logging.jsonl", "w", encoding="utf-8", buffering=1) as log:
        while step % 10 or (not os.path.exists(end) and time.monotonic() - begin < most):
            time.sleep(max(0.0, begin + (step + 1) / rate - time.monotonic()))
            step += 1
            log.write(json.dumps(line(step, time.monotonic() - begin)) + "\n")
    with open("out/written.json", "w", encoding="utf-8") as told:
        json.dump({"steps": step}, told)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
