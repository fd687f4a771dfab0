"""HER's two-layer reply: what it is made of, what is wrong with one, and who may see which part.

    <system_thinking>plan</system_thinking>Name: <role_thinking>thought</role_thinking>
    <role_action>deed</role_action>speech          (on one line)

The plan comes once and first, in the third person. Then the speaker's name, and after it any mix of thoughts, deeds
and speech. Others never see a thought; nobody sees an earlier plan.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

SYSTEM = "system_thinking"
THINKING = "role_thinking"
ACTION = "role_action"
TAGS = (SYSTEM, THINKING, ACTION)

Kind = Literal["system_thinking", "role_thinking", "role_action", "speech"]
Problem = Literal[
    "no-system-thinking",
    "system-thinking-not-first",
    "system-thinking-repeated",
    "no-speaker",
    "no-role-thinking",
    "no-role-action",
    "no-speech",
    "empty-tag",
    "unknown-tag",
    "nested-tag",
    "unclosed-tag",
    "unopened-tag",
    "adjacent-identical-tags",
    "stray-bracket",
]

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*)>")
_SPEAKER = re.compile(r"\s*([^\s:<>][^:<>\n]{0,62}):\s")


@dataclass(frozen=True)
class Segment:
    """A stretch of a reply: the inside of a tag, or the speech between tags."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Reply:
    """A reply taken apart. `problems` is empty exactly when it is well formed."""

    speaker: str | None
    segments: tuple[Segment, ...]
    problems: tuple[Problem, ...]

    def has(self, kind: Kind) -> bool:
        """Whether there is a segment of this kind with anything in it but white space."""
        return any(segment.kind == kind and segment.text.strip() for segment in self.segments)


@dataclass
class _Scan:
    segments: list[Segment] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def blame(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def speech(self, text: str) -> None:
        if "<" in text or ">" in text:
            self.blame("stray-bracket")
        if text.strip():
            self.segments.append(Segment("speech", text))

    def tagged(self, kind: str, text: str) -> None:
        if "<" in text or ">" in text:
            self.blame("stray-bracket")
        if not text.strip():
            self.blame("empty-tag")
        if self.segments and self.segments[-1].kind == kind:
            self.blame("adjacent-identical-tags")
        self.segments.append(Segment(kind, text))  # type: ignore[arg-type]


def _scan(reply: str) -> _Scan:
    """Splits a reply into segments. Text inside an unclosed or unknown tag counts for nothing."""
    scan = _Scan()
    opened: str | None = None
    since = 0
    for match in _TAG.finditer(reply):
        closing, tag = match.group(1) == "/", match.group(2)
        text = reply[since : match.start()]
        if tag not in TAGS:
            scan.blame("unknown-tag")
        if opened is None:
            scan.speech(text)
            if closing:
                scan.blame("unopened-tag")
            else:
                opened = tag
        elif closing and tag == opened:
            if tag in TAGS:
                scan.tagged(tag, text)
            opened = None
        elif closing:
            scan.blame("unopened-tag")
            continue
        else:
            scan.blame("unclosed-tag" if tag == opened else "nested-tag")
            opened = tag
        since = match.end()
    if opened is None:
        scan.speech(reply[since:])
    else:
        scan.blame("unclosed-tag")
    return scan


def _take_speaker(segments: list[Segment]) -> str | None:
    """Removes the `Name:` that must follow the plan and returns the name; None where there is none."""
    at = 1 if segments and segments[0].kind == SYSTEM else 0
    if at >= len(segments) or segments[at].kind != "speech":
        return None
    match = _SPEAKER.match(segments[at].text)
    if match is None:
        return None
    rest = segments[at].text[match.end() :]
    segments[at : at + 1] = [Segment("speech", rest)] if rest.strip() else []
    return match.group(1).strip()


def parse(reply: str) -> Reply:
    """Takes a reply apart and lists every kind of problem in it once, in the order found. Never raises."""
    scan = _scan(reply)
    segments = scan.segments
    plans = [i for i, segment in enumerate(segments) if segment.kind == SYSTEM]
    if not plans:
        scan.blame("no-system-thinking")
    elif plans[0] != 0:
        scan.blame("system-thinking-not-first")
    if len(plans) > 1:
        scan.blame("system-thinking-repeated")
    speaker = _take_speaker(segments)
    if speaker is None:
        scan.blame("no-speaker")
    found = {segment.kind for segment in segments if segment.text.strip()}
    if THINKING not in found:
        scan.blame("no-role-thinking")
    if ACTION not in found:
        scan.blame("no-role-action")
    if "speech" not in found:
        scan.blame("no-speech")
    return Reply(speaker, tuple(segments), tuple(scan.problems))


def well_formed(reply: str) -> bool:
    """Whether the reply keeps to the two-layer format in every point."""
    return not parse(reply).problems


def _without(tag: str, reply: str) -> str:
    return re.sub(rf"<{tag}>.*?</{tag}>", "", reply, flags=re.DOTALL)


def seen_by_self(reply: str) -> str:
    """An earlier reply as its own speaker sees it: without the plan."""
    return _without(SYSTEM, reply).strip()


def seen_by_others(reply: str) -> str:
    """A reply as anyone else sees it: without plan and thoughts, with runs of white space made one space."""
    return re.sub(r"\s+", " ", _without(THINKING, _without(SYSTEM, reply))).strip()
