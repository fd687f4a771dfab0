"""The words that books are invented from. Our own; no book, author or character is meant.

There are few of them on purpose: a model of half a million weights can learn them in a minute, and what it then gets
wrong is the format, which is what the study is about.
"""

NAMES = ("Mara", "Ivo", "Tessa", "Bran", "Odile", "Corin", "Nell", "Hesk", "Lio", "Wren", "Davin", "Sorrel")
TITLE_FIRST = ("Salt", "Hollow", "Amber", "Winter", "Paper", "Silent", "Iron", "Drowned", "Second", "Copper", "Glass")
TITLE_LAST = ("Road", "Harbour", "Orchard", "Lantern", "Bridge", "Garden", "Tower", "Ferry", "Winter", "Key", "Mill")
TRADES = ("a map maker", "a ferryman", "a baker", "a spy", "a healer", "a judge", "a sailor", "a thief", "a smith")
TRAITS = ("proud", "careful", "warm", "bitter", "curious", "loyal", "restless", "shy")
WANTS = (
    "to leave the town",
    "to find a lost brother",
    "to keep the old promise",
    "to pay a debt",
    "to be believed",
    "to hide the truth",
    "to go home",
)
PLACES = ("the mill", "the quay", "the old kitchen", "the tower stairs", "the orchard", "the market", "the boat shed")
WEATHERS = ("Rain taps on the roof.", "A bell rings far away.", "The fire burns low.", "Snow begins to fall.")
THINGS = ("map", "lamp", "letter", "key", "ring", "coin", "book", "rope")
TACTICS = (
    "refuse without lying",
    "ask for time",
    "tell half of the truth",
    "stay kind but firm",
    "offer a trade",
    "make a small joke",
)
DEEDS = (
    "picks up the {thing}",
    "looks at the {thing}",
    "hides the {thing}",
    "steps back",
    "closes the door",
    "smiles a little",
)
THOUGHTS = (
    "I must not show it.",
    "I should have burned the {thing}.",
    "Not one word about the {thing}.",
    "I have waited long enough.",
    "I want to trust {other}.",
    "I am too tired for this.",
)
SPEECHES = (
    "You came back for the {thing}.",
    "Leave the {thing} where it is.",
    "I only want what is mine.",
    "Ask me again tomorrow.",
    "Then we agree, {other}.",
    "Give me the {thing} and go.",
)
