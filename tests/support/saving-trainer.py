"""A stand-in for a trainer in tests of Slurm: counts steps, and on SIGTERM writes one file, as if it saved, and ends."""

import json
import os
import signal
import sys
import time

steps, pause = int(sys.argv[1]), float(sys.argv[2])


def save(_number: int, _frame: object) -> None:
    with open("out/saved.txt", "w") as file:
        file.write(f"{step}\n")
    print("saved at step", step, flush=True)
    sys.exit(0)


step = 0
signal.signal(signal.SIGTERM, save)
print("environment", json.dumps(sorted(os.environ)), flush=True)
os.makedirs("out", exist_ok=True)
with open(f"out/ran-on-{os.uname().nodename}.txt", "a") as file:
    file.write(f"{os.getpid()}\n")
with open("out/metrics.jsonl", "a") as log:
    for step in range(1, steps + 1):
        time.sleep(pause)
        log.write(json.dumps({"step": step, "maxSteps": steps, "values": {"loss": 1 / step}}) + "\n")
        log.flush()
