"""Held-out loss: how unlikely the model finds the book's own replies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from transformers import PreTrainedModel

from her_workers.evaluate.cases import Case


@dataclass(frozen=True)
class Estimate:
    """A mean over `n` cases with its standard error (0 where n is 1)."""

    value: float
    n: int
    stderr: float


@torch.inference_mode()
def heldout_loss(model: PreTrainedModel, cases: Sequence[Case], batch: int) -> Estimate:
    """Mean negative log likelihood in nats over all trained tokens. Its error is taken over cases, not tokens,
    since the tokens of one reply are not independent."""
    sums: list[tuple[float, int]] = []
    for start in range(0, len(cases), batch):
        chunk = cases[start : start + batch]
        width = max(len(c.prompt) + len(c.reply) for c in chunk)
        ids = torch.zeros(len(chunk), width, dtype=torch.long)
        labels = torch.full((len(chunk), width), -100)
        mask = torch.zeros(len(chunk), width, dtype=torch.long)
        for i, case in enumerate(chunk):
            whole = torch.tensor(case.prompt + case.reply)
            ids[i, : len(whole)], mask[i, : len(whole)] = whole, 1
            labels[i, len(case.prompt) : len(whole)] = whole[len(case.prompt) :]
        logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        nll = F.cross_entropy(logits.transpose(1, 2), labels[:, 1:], ignore_index=-100, reduction="none")
        sums += [(float(row.sum()), len(case.reply)) for row, case in zip(nll, chunk, strict=True)]
    tokens = sum(count for _, count in sums)
    mean = sum(total for total, _ in sums) / tokens
    residual = sum((total - mean * count) ** 2 for total, count in sums)
    n = len(sums)
    return Estimate(mean, n, math.sqrt(residual * n / (n - 1)) / tokens if n > 1 else 0.0)
