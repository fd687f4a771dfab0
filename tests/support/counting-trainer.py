"""A stand-in for a trainer, for crash tests of the loop: real trainers take a minute, these tests need dozens of runs.

Counts to `steps`, logs a step each `pause` seconds in ms-swift's way, saves a checkpoint of one small file, goes on
from `inputs/resume/*` where there is one, and notes in `steps.log` of the shared folder which attempt ran which step.
"""

import json
import os
import sys
import time

steps, pause, shared = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
os.makedirs("out", exist_ok=True)
with open("out/seeds.json", "w") as file:
    json.dump({"data_seed": 7}, file)
with open("out/metrics.jsonl", "a") as log:
    for step in range(1, steps + 1):
        time.sleep(pause)
        with open(os.path.join(shared, "steps.log"), "a") as trace:
            trace.write(f"{os.path.basename(os.getcwd())} {step} {os.getpid()} {time.time()}\n")
        log.write(json.dumps({"step": step, "maxSteps": steps, "values": {"loss": 1 / step}}) + "\n")
        log.flush()
        print("step", step, flush=True)
with open("out/result.txt", "w") as file:
    file.write(f"{steps}\n")
