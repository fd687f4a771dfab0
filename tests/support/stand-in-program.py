"""A stand-in for a trainer in tests of what is seen of a job from outside.

`leak`: puts the values of its secrets everywhere that a careless trainer would, waits, and ends with one in an
exception. `lines COUNT PAUSE`: writes numbered lines, some at once, with a progress bar in between: that many, or
until there is a file `out/enough`. `fail`: ends with 1.
"""

import json
import os
import sys
import time

os.makedirs("out", exist_ok=True)


def leak() -> None:
    names = sys.argv[2].split(",")
    values = [os.environ[name] for name in names]
    print("has", ",".join(names), flush=True)
    with open("out/metrics.jsonl", "a") as log:
        for step, value in enumerate(values, 1):
            print("whole", value, flush=True)
            print("as a word", repr(value), json.dumps({"token": value}), file=sys.stderr, flush=True)
            half = len(value) // 2
            for piece in ("in pieces ", value[:half], value[half:], "\n"):
                os.write(1, piece.encode())
                time.sleep(0.2)
            log.write(json.dumps({"step": step, "values": {f"loss of {value}": 1.0, "loss": 1.0}}) + "\n")
            log.flush()
    print("waits", flush=True)
    time.sleep(float(sys.argv[3]))
    raise RuntimeError("refused with " + " ".join(values))


def lines() -> None:
    count, pause = int(sys.argv[2]), float(sys.argv[3])
    for number in range(count):
        print(f"line {number:06d} " + "ä" * (number % 60), flush=number % 20 == 0)
        if number % 20 == 0:
            time.sleep(pause)
            os.write(2, f"\r {number * 100 // count}%".encode())
            if os.path.exists("out/enough"):
                break
    print("\nlast line", flush=True)


if sys.argv[1] == "leak":
    leak()
elif sys.argv[1] == "lines":
    lines()
else:
    print("cannot go on", flush=True)
    sys.exit(1)
