"""Invented books, the scenes in them, and the two-layer dialogues of those scenes."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from her_workers.dialogue import ACTION, SYSTEM, THINKING
from her_workers.prepare import words

ENVIRONMENT = "Environment"
# The order of a reply's parts: t thought, a action, s speech. Equal tags never stand side by side.
PATTERNS = ("tas", "ats", "tsa", "ast")


@dataclass(frozen=True)
class Character:
    name: str
    profile: str
    trait: str
    want: str


@dataclass(frozen=True)
class Book:
    title: str
    cast: tuple[Character, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One line of a scene. `plan` is the speaker's system thinking, kept apart because it is shown only once."""

    speaker: str
    plan: str
    body: str


@dataclass(frozen=True)
class Scene:
    """A talk between two characters of a book; the last line is `hero`'s."""

    book: Book
    hero: Character
    other: Character
    setting: str
    lines: tuple[Line, ...]


def books(seed: int, count: int) -> list[Book]:
    """Invents books with titles that differ. Raises ValueError when more are asked for than there are titles."""
    titles = [f"The {a} {b}" for a in words.TITLE_FIRST for b in words.TITLE_LAST if a != b]
    if count > len(titles):
        raise ValueError(f"{count} books asked for, {len(titles)} titles to give")
    random = Random(f"books {seed}")
    return [_book(random, title) for title in random.sample(titles, count)]


def _book(random: Random, title: str) -> Book:
    return Book(
        title=title,
        cast=tuple(_character(random, name) for name in random.sample(words.NAMES, 4)),
        places=tuple(random.sample(words.PLACES, 3)),
        things=tuple(random.sample(words.THINGS, 4)),
    )


def _character(random: Random, name: str) -> Character:
    trait, want = random.choice(words.TRAITS), random.choice(words.WANTS)
    return Character(name, f"{name} is {random.choice(words.TRADES)}, {trait}, and wants {want}.", trait, want)


def scene(random: Random, book: Book, short: bool) -> Scene:
    """Invents one scene of a book, with one to three lines of the hero; a short one has just the last of them."""
    hero, other = random.sample(book.cast, 2)
    place, thing = random.choice(book.places), random.choice(book.things)
    lines: list[Line] = []
    if random.random() < 0.3:
        lines.append(Line(ENVIRONMENT, "", random.choice(words.WEATHERS)))
    if not short and random.random() < 0.2:  # the hero opens the scene
        lines.append(_line(random, hero, other, thing))
    for _ in range(1 if short else random.choice((1, 1, 1, 2))):
        lines.append(_line(random, other, hero, thing))
        lines.append(_line(random, hero, other, thing))
    return Scene(book, hero, other, f"They meet at {place} with the {thing}.", tuple(lines))


def _line(random: Random, speaker: Character, other: Character, thing: str) -> Line:
    def fill(options: Sequence[str]) -> str:
        return random.choice(options).format(other=other.name, thing=thing)

    def part(kind: str) -> str:
        if kind == "t":
            return f"<{THINKING}>{fill(words.THOUGHTS)}</{THINKING}>"
        if kind == "a":
            return f"<{ACTION}>{fill(words.DEEDS)}</{ACTION}>"
        return fill(words.SPEECHES)

    plan = f"{speaker.name} is {speaker.trait} and should {random.choice(words.TACTICS)}."
    return Line(speaker.name, plan, "".join(part(kind) for kind in random.choice(PATTERNS)))


def full_reply(line: Line) -> str:
    """A line as its speaker has to produce it: plan, name, body."""
    return f"<{SYSTEM}>{line.plan}</{SYSTEM}>{line.speaker}: {line.body}"
