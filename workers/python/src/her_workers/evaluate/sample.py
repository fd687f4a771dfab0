"""Replies sampled from a model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase

from her_workers.evaluate.cases import Case


@dataclass(frozen=True)
class Sampled:
    """A reply; `finished` is False where it was cut at the token limit."""

    text: str
    tokens: int
    finished: bool


@torch.inference_mode()
def sample_replies(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    cases: Sequence[Case],
    *,
    seed: int,
    batch: int,
    max_new_tokens: int,
    temperature: float,
) -> Iterator[list[Sampled]]:
    """Yields the replies of one batch after the other, one reply a case, in the order of the cases.

    Same seed, batch size, thread count and model give the same replies. Nothing truncates the distribution, and the
    model's own generation settings are not consulted: models that are compared must be sampled alike.
    """
    settings = GenerationConfig(
        do_sample=True,
        temperature=temperature,
        top_k=0,
        top_p=1.0,
        max_new_tokens=max_new_tokens,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    for start in range(0, len(cases), batch):
        prompts = [case.prompt for case in cases[start : start + batch]]
        width = max(map(len, prompts))
        # Padded on the left, so that every reply starts right after its prompt.
        ids = torch.tensor([[tokenizer.pad_token_id] * (width - len(p)) + p for p in prompts])
        mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
        out = model.generate(input_ids=ids, attention_mask=mask, generation_config=settings)
        yield [_cut(row, tokenizer) for row in out[:, width:].tolist()]


def _cut(row: list[int], tokenizer: PreTrainedTokenizerBase) -> Sampled:
    finished = tokenizer.eos_token_id in row
    kept = row[: row.index(tokenizer.eos_token_id)] if finished else row
    return Sampled(tokenizer.decode(kept, skip_special_tokens=True), len(kept), finished)
