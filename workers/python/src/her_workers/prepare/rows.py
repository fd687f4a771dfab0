"""Scenes as rows for the trainers, under the rules of who may see what."""

from typing import Any

from her_workers.dialogue import seen_by_others, seen_by_self
from her_workers.prepare.corpus import Scene, full_reply

START = "===Conversation Start===\n\n"
REQUIREMENTS = "Plan first. Then think, act and speak."

Message = dict[str, Any]


def system_prompt(scene: Scene) -> str:
    """What the model is told about its character, the scene, and the format."""
    return (
        f"You are {scene.hero.name} in {scene.book.title}.\n"
        f"{scene.hero.profile} {scene.other.profile}\n"
        f"{scene.setting}\n"
        f"{REQUIREMENTS}"
    )


def prompt(scene: Scene) -> list[Message]:
    """The messages before the hero's last line. Earlier lines of the hero come without their plans, those of others
    without their thoughts; where the hero speaks first, the start marker stands alone before it."""
    messages: list[Message] = [{"role": "system", "content": system_prompt(scene)}]
    heard: list[str] = []
    for line in scene.lines[:-1]:
        if line.speaker != scene.hero.name:
            heard.append(f"{line.speaker}: {seen_by_others(line.body)}")
            continue
        messages.append(_user(heard, first=len(messages) == 1))
        messages.append({"role": "assistant", "content": seen_by_self(full_reply(line))})
        heard = []
    messages.append(_user(heard, first=len(messages) == 1))
    return messages


def _user(heard: list[str], first: bool) -> Message:
    return {"role": "user", "content": ((START if first else "") + "\n\n".join(heard)).strip()}


def sft_row(scene: Scene) -> dict[str, Any]:
    """A row for ms-swift: only the last assistant message is trained on."""
    earlier = [m | {"loss": False} if m["role"] == "assistant" else m for m in prompt(scene)]
    return {"messages": [*earlier, {"role": "assistant", "content": full_reply(scene.lines[-1])}]}


def rl_row(scene: Scene, split: str, index: int) -> dict[str, Any]:
    """A row for verl, with the name of the character that has to speak as the ground truth."""
    return {
        "data_source": "her/two-layer",
        "prompt": prompt(scene),
        "ability": "role-play",
        "reward_model": {"style": "rule", "ground_truth": scene.hero.name},
        "extra_info": {"split": split, "index": index, "book": scene.book.title},
    }
