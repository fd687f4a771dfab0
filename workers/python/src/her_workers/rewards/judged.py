"""The reward of role-play RL: a judge compares the reply with a frozen reference, asked in both orders."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from her_workers.rewards.comparison import Comparison, read_comparison, visible
from her_workers.rewards.judge import Answer, JudgeFailed, JudgeOptions, ask, client
from her_workers.rewards.judge_prompt import judge_prompt
from her_workers.rewards.seeds import Seeds, digest
from her_workers.rewards.verdict import Verdict, parse_verdict

Outcome = Literal["win", "tie", "lose"]
SCORES: dict[Outcome, float] = {"win": 1.0, "tie": 0.0, "lose": -1.0}

# Where the policy's reply stands. Both are asked: what a judge says for the place of a text is not about the text.
Order = Literal["cand_1", "cand_2"]
ORDERS: tuple[Order, ...] = ("cand_1", "cand_2")

Ask = Callable[[str, int], Awaitable[Answer]]


@dataclass(frozen=True)
class _Judgement:
    """One order's last answer, and how often it had to be asked again."""

    order: Order
    verdict: Verdict
    retries: int

    @property
    def outcome(self) -> Outcome:
        """For the policy's reply. No verdict is a tie, never a win."""
        if self.verdict.choice in ("tie", "unparsable"):
            return "tie"
        return "win" if self.verdict.choice == self.order else "lose"


def _row_id(data_source: str, index: Any, comparison: Comparison) -> str:
    """Which row this is. Its texts count, because published rows all have the index 0."""
    return digest(data_source, str(index), comparison.context, comparison.reference)


async def _judge(ask_once: Ask, prompt: str, seeds: Seeds, retries: int) -> _Judgement:
    """Asks until there is a verdict, at most `retries` times again. An answer that was cut has none."""
    for attempt in range(retries + 1):
        answer = await ask_once(prompt, seeds.of(attempt))
        verdict = parse_verdict(answer.text) if answer.whole else Verdict("unparsable", "no-verdict")
        if verdict.parsed:
            break
    return _Judgement(seeds.order, verdict, attempt)


async def _both_orders(
    address: str, reply: str, comparison: Comparison, row: str, how: JudgeOptions
) -> list[_Judgement]:
    marker = f"=={digest('marker', how.seed, row)[:16]}=="
    reference = comparison.reference
    texts = {"cand_1": (reply, reference), "cand_2": (reference, reply)}
    try:
        async with client(how) as session, asyncio.TaskGroup() as group:
            ask_once = partial(ask, session, address, how)
            tasks = [
                group.create_task(
                    _judge(
                        ask_once,
                        judge_prompt(comparison.context, *texts[order], marker),
                        Seeds(how.seed, row, order),
                        how.retries,
                    )
                )
                for order in ORDERS
            ]
    except ExceptionGroup as failures:
        failed = failures.exceptions[0]
    else:
        return [task.result() for task in tasks]
    raise failed


def _scores(
    judgements: list[_Judgement], outcome: Outcome, *, flipped: bool = False, malformed: bool = False, context: bool
) -> dict[str, float]:
    sides = [one.verdict.choice for one in judgements if one.verdict.choice in ORDERS]
    return {
        "score": SCORES[outcome],
        "acc": float(outcome == "win"),
        **{name: float(outcome == name) for name in SCORES},
        "flipped": float(flipped),
        "position": sides.count("cand_1") / len(sides) if sides else 0.5,
        "unparsable": sum(not one.verdict.parsed for one in judgements) / len(ORDERS),
        "retries": float(sum(one.retries for one in judgements)),
        "malformed": float(malformed),
        "no_context": float(not context),
    }


async def score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **options: Any,
) -> dict[str, float]:
    """Scores one reply of the policy, in verl's signature for reward functions with a generative reward model.

    Args:
        solution_str: the reply, without special tokens.
        ground_truth: the row's reference, as `read_comparison` reads it.
        extra_info: the row's `index`, and its messages if the ground truth has none.
        reward_router_address: verl's router, host:port.
        options: fields of `JudgeOptions`.

    Returns:
        `score`, 1, 0 or -1, where both orders agree on it and 0 where they do not; `acc`, 1 for a win; `win`, `tie`,
        `lose`; `flipped`, 1 where two verdicts disagreed; `position`, the share of cand_1 among the verdicts for a
        side, 0.5 without any; `unparsable`, the share of the orders that stayed without a verdict; `retries` in both
        orders; `malformed`, 1 for a reply that lost unasked; `no_context`, 1 where the row has no dialogue.

    Raises:
        JudgeFailed: if the judge cannot be asked. This is never a tie.
        BadRow: if the row has no reference.
    """
    how = JudgeOptions(**options)
    if not reward_router_address:
        raise JudgeFailed("no reward_router_address: this reward needs a reward model that verl serves")
    comparison = read_comparison(ground_truth, extra_info)
    context = bool(comparison.context)
    reply = visible(solution_str or "")
    if not reply:
        return _scores([], "lose", malformed=True, context=context)
    row = _row_id(data_source, (extra_info or {}).get("index"), comparison)
    judgements = await _both_orders(reward_router_address, reply, comparison, row, how)
    outcomes = {one.outcome for one in judgements}
    agreed = len(outcomes) == 1
    # Without a verdict there is nothing to disagree with.
    flipped = not agreed and all(one.verdict.parsed for one in judgements)
    return _scores(judgements, outcomes.pop() if agreed else "tie", flipped=flipped, context=context)
