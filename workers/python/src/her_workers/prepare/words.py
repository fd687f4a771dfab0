"""The words that books are invented from. Our own; no book, author or character is meant."""

NAMES = (
    "Mara", "Ivo", "Tessa", "Bran", "Odile", "Corin", "Nell", "Hesk", "Lio", "Wren", "Davin", "Sorrel",
    "Pim", "Ansa", "Joric", "Vela", "Quill", "Rook", "Emmet", "Thea", "Osk", "Lune", "Garrit", "Fenna",
)  # fmt: skip
TITLE_FIRST = ("Salt", "Hollow", "Amber", "Winter", "Paper", "Silent", "Iron", "Drowned", "Second", "Copper", "Glass")
TITLE_LAST = ("Road", "Harbour", "Orchard", "Lantern", "Bridge", "Garden", "Tower", "Ferry", "Winter", "Key", "Mill")
TRADES = (
    "a map maker", "a ferryman", "a clock mender", "a baker", "a spy", "a healer", "a judge", "a sailor",
    "a beekeeper", "a thief", "a teacher", "a smith",
)  # fmt: skip
TRAITS = ("proud", "careful", "warm", "bitter", "curious", "loyal", "restless", "shy", "stern", "merry")
WANTS = (
    "to leave the town", "to find a lost brother", "to keep the old promise", "to pay a debt", "to be believed",
    "to win back the house", "to hide the truth", "to stop the feud", "to go home", "to save the harvest",
)  # fmt: skip
PLACES = (
    "the mill", "the quay", "the old kitchen", "the tower stairs", "the orchard", "the ferry", "the market",
    "the empty hall", "the boat shed", "the garden wall",
)  # fmt: skip
WEATHERS = (
    "Rain taps on the roof.", "A bell rings far away.", "The fire burns low.", "Wind moves the shutters.",
    "Snow begins to fall.", "A dog barks once.", "The light is going.", "Somebody laughs next door.",
)  # fmt: skip
THINGS = ("map", "lamp", "letter", "key", "ring", "coin", "knife", "book", "cup", "rope", "clock", "boat")
FEELINGS = ("afraid", "angry", "glad", "tired", "ashamed", "hopeful", "uneasy", "calm", "jealous", "sorry")
TACTICS = (
    "refuse without lying", "ask for time", "change the subject", "tell half of the truth", "stay kind but firm",
    "offer a trade", "make a small joke", "keep silent about the past", "admit the mistake", "test the other",
)  # fmt: skip
DEEDS = (
    "picks up the {thing}", "puts the {thing} down", "looks at the {thing}", "turns the {thing} over",
    "hides the {thing}", "pushes the {thing} away", "steps back", "sits down slowly", "closes the door",
    "shakes the head", "looks out at the dark", "smiles a little",
)  # fmt: skip
THOUGHTS = (
    "I am {feeling}, and it must not show.", "{other} knows about the {thing}.", "I should have burned the {thing}.",
    "If I speak now, I lose the {thing}.", "I never liked {place}.", "{other} looks {feeling} too.",
    "I want to trust {other}.", "Not one word about the {thing}.", "I have waited long enough.",
    "Let {other} speak first.",
)  # fmt: skip
SPEECHES = (
    "You came back for the {thing}.", "Leave the {thing} where it is.", "I only want what is mine.",
    "Ask me again tomorrow.", "Nobody at {place} will believe you.", "The {thing} was never yours, {other}.",
    "Then we agree, {other}.", "I am {feeling}, that is all.", "Give me the {thing} and go.",
    "You should not have come to {place}.", "We both know who has the {thing}.", "Sit down, {other}, and listen.",
)  # fmt: skip
