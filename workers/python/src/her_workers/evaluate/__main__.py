"""`python -m her_workers.evaluate evaluate.json`: writes `out/` in the working directory."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from her_workers.dialogue import parse
from her_workers.evaluate.cases import Case, encode, read_rows
from her_workers.evaluate.loss import Estimate, heldout_loss
from her_workers.evaluate.sample import Sampled, sample_replies
from her_workers.evaluate.spec import EvaluateSpec, read_spec
from her_workers.rewards.format import score
from her_workers.stage_output import Progress, write_json, write_rows

SCORED = {"well_formed": "well_formed", "right_speaker": "speaker", "reward": "score"}


def judge(of: str, index: int, case: Case, reply: Sampled) -> dict[str, Any]:
    """One line of `replies.jsonl`: the reply, what the reward function says of it, and what is wrong with it."""
    scores = score("her/two-layer", reply.text, case.speaker)
    return {
        "of": of,
        "index": index,
        "speaker": case.speaker,
        "reply": reply.text,
        "tokens": reply.tokens,
        "finished": reply.finished,
        "problems": list(parse(reply.text).problems),
        **{metric: scores[key] for metric, key in SCORED.items()},
    }


def mean(values: Sequence[float]) -> Estimate:
    """Mean of independent values, with its standard error."""
    n = len(values)
    centre = math.fsum(values) / n
    spread = math.fsum((v - centre) ** 2 for v in values)
    return Estimate(centre, n, math.sqrt(spread / (n - 1) / n) if n > 1 else 0.0)


def evaluate(spec: EvaluateSpec, out: Path) -> None:
    """Measures every model and writes scores, replies, seeds and progress to `out`."""
    rows = read_rows(Path(spec.heldout))
    if spec.samples > len(rows):
        raise ValueError(f"evaluate.samples: {spec.samples} replies asked for, {len(rows)} held-out rows to answer")
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "seeds.json", {"sampling": spec.seed})
    batches = math.ceil(spec.samples / spec.batch)
    progress = Progress(out / "metrics.jsonl", max_steps=len(spec.models) * (1 + batches))
    scores: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []

    def record(metric: str, of: str, estimate: Estimate) -> None:
        scores.append({"metric": metric, "of": of, "value": estimate.value, "n": estimate.n, "stderr": estimate.stderr})

    for of, path in spec.models.items():
        tokenizer = AutoTokenizer.from_pretrained(path)
        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="sdpa").eval()
        cases = encode(rows, tokenizer)
        loss = heldout_loss(model, cases, spec.batch)
        record("heldout_loss", of, loss)
        progress.step({f"heldout_loss/{of}": loss.value})

        asked = cases[: spec.samples]
        mine: list[dict[str, Any]] = []
        for answers in sample_replies(
            model,
            tokenizer,
            asked,
            seed=spec.seed,
            batch=spec.batch,
            max_new_tokens=spec.max_new_tokens,
            temperature=spec.temperature,
        ):
            mine += [judge(of, len(mine) + i, asked[len(mine) + i], answer) for i, answer in enumerate(answers)]
            progress.step({f"well_formed/{of}": mean([line["well_formed"] for line in mine]).value})
        for metric in SCORED:
            record(metric, of, mean([line[metric] for line in mine]))
        replies += mine

    write_rows(out / "replies.jsonl", replies)
    write_json(out / "scores.json", scores)
    progress.close()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m her_workers.evaluate evaluate.json")
    evaluate(read_spec(Path(sys.argv[1])), Path("out"))


if __name__ == "__main__":
    main()
