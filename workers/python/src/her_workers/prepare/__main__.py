"""`python -m her_workers.prepare prepare.json`: writes `out/` in the working directory."""

import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from her_workers.prepare.corpus import Scene, books, scene
from her_workers.prepare.model import build_model
from her_workers.prepare.rows import rl_row, sft_row
from her_workers.prepare.spec import SPLITS, PrepareSpec, read_spec
from her_workers.prepare.tokenizer import train_tokenizer
from her_workers.stage_output import Progress, write_json, write_rows


def make_scenes(spec: PrepareSpec) -> dict[str, list[Scene]]:
    """Invents the scenes of each split from books that no other split has."""
    library = iter(books(spec.seed, sum(spec.books.values())))
    scenes: dict[str, list[Scene]] = {}
    for split in SPLITS:
        shelf = [next(library) for _ in range(spec.books[split])]
        random = Random(f"scenes {spec.seed} {split}")
        # Prompts of reinforcement learning are short: a step on a CPU costs as much as its longest prompt.
        short = split in ("rl", "rl_val")
        scenes[split] = [scene(random, shelf[i % len(shelf)], short) for i in range(spec.rows[split])]
    return scenes


def prepare(spec: PrepareSpec, out: Path) -> None:
    """Writes the model, the data of all splits, the seeds and the progress to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    # Before the first step: who watches the run reads the seeds back by then.
    write_json(out / "seeds.json", {"corpus": spec.seed, "model_init": spec.seed})
    progress = Progress(out / "metrics.jsonl", max_steps=3)
    scenes = make_scenes(spec)
    sft = [sft_row(s) for s in scenes["sft"]]
    write_rows(out / "sft.jsonl", sft)
    write_rows(out / "heldout.jsonl", (sft_row(s) for s in scenes["heldout"]))
    for split in ("rl", "rl_val"):
        rows = [rl_row(s, split, i) for i, s in enumerate(scenes[split])]
        pq.write_table(pa.Table.from_pylist(rows), out / f"{split}.parquet")
    progress.step({f"rows/{split}": float(len(rows)) for split, rows in scenes.items()})

    # Only text that is trained on may shape the vocabulary.
    tokenizer = train_tokenizer((m["content"] for row in sft for m in row["messages"]), spec.vocab)
    progress.step({"tokens": float(len(tokenizer))})

    model = build_model(spec.model, tokenizer, spec.seed)
    model.save_pretrained(out / "model")
    tokenizer.save_pretrained(out / "model")
    progress.step({"parameters": float(model.num_parameters())})
    progress.close()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m her_workers.prepare prepare.json")
    prepare(read_spec(Path(sys.argv[1])), Path("out"))


if __name__ == "__main__":
    main()
