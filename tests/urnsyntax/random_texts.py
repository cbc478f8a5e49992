"""Seeded random texts similar to URNs, made of valid and invalid pieces."""

import random

_ATOMS = [
    *"abzAZ019-._~!$&'()*+,;=:@/?#%",
    "?+", "?=", "?", "#", "%41", "%2f", "%C3%A9", "%c", "%G0", "%", "%00", "urn:", "URN", "-",
    " ", "\n", "\r", "\t", "\0", "\x7f", '"', "<", ">", "\\", "^", "`", "{", "|", "}", "[", "]",
    "é", "а", "٣", "ſ", "K", "\u2028", "\U0001f608", "\ud800", "\xa0", "１",
]  # fmt: skip
_GOOD = [*"abzAZ019-._~!$&'()*+,;=:@", "/", "%41", "%2f", "%C3%A9", "%00"]
_SCHEMES = ["urn:"] * 24 + ["URN:", "uRn:", "ur", "urn", "url:", "", " urn:", "urn;"]
_NID = "abcXYZ0189-"


def random_texts(count, seed):
    """Yield this number of texts, of which about a quarter are URNs."""
    rng = random.Random(seed)
    for _ in range(count):
        yield _random_text(rng)


def _random_text(rng):
    nid = "".join(rng.choices(_NID, k=rng.choice([0, 1, 2, 3, 3, 4, 5, 8, 31, 32, 33])))
    if rng.random() < 0.8:
        nid = nid.strip("-") or "example"
    text = rng.choice(_SCHEMES) + nid + rng.choice([*":" * 20, "", "::", " :"])
    if rng.random() < 0.3:
        return text + "".join(rng.choices(_ATOMS, k=rng.randint(0, 12)))
    text += "".join(rng.choices(_GOOD, k=rng.randint(0, 6)))
    for introducer in ("?+", "?=", "#"):
        if rng.random() < 0.4:
            text += introducer + "".join(rng.choices([*_GOOD, "?", "?+"], k=rng.randint(0, 4)))
    if rng.random() < 0.2:
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice(_ATOMS) + text[at + rng.randint(0, 1) :]
    return text
