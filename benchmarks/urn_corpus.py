"""A corpus of texts for measuring URN parsing, which depends only on the seed.

Half of the texts contain percent-encodings, a tenth are not URNs, and the average length is about 50 characters.
"""

import random
import string
from urllib.parse import quote

_ALPHANUMERIC = string.ascii_letters + string.digits
_MARKS = "-._~!$&'()*+,;=:@"
_SPECIAL = (" ", "a b", "/", "50 %", "é", "ü", "n° 7", "[x]", "Größe", "#3", "東", "a?b")
_STRAY = ' "<>\\^`{|}é\N{CYRILLIC SMALL LETTER A}'


def corpus(size: int, seed: int = 8141) -> list[str]:
    """Return `size` texts: of every ten, five have percent-encodings, and one is not a URN."""
    rng = random.Random(seed)
    texts = [
        _malformed(rng, _urn(rng, index % 2 == 0)) if index % 10 == 9 else _urn(rng, index % 2 == 0)
        for index in range(size)
    ]
    rng.shuffle(texts)
    return texts


def _urn(rng: random.Random, has_percent_encodings: bool) -> str:
    nid = rng.choice(string.ascii_letters) + "".join(rng.choices(_ALPHANUMERIC + "-", k=rng.randint(1, 10)))
    urn = (
        f"{rng.choice(('urn', 'urn', 'urn', 'URN'))}:{nid}{rng.choice(_ALPHANUMERIC)}:{_pchars(rng, 10, 46)}"
    )
    if has_percent_encodings:
        urn += quote(rng.choice(_SPECIAL), safe="")
        urn += _pchars(rng, 0, 12)
    if rng.random() < 0.05:
        urn += "?+" + _pchars(rng, 1, 12)
    if rng.random() < 0.2:
        urn += "?=" + _pchars(rng, 1, 20)
    if rng.random() < 0.15:
        urn += "#" + _pchars(rng, 0, 8)
    return urn


def _pchars(rng: random.Random, shortest: int, longest: int) -> str:
    length = rng.randint(shortest, longest)
    return "".join(rng.choice(_ALPHANUMERIC if rng.random() < 0.85 else _MARKS) for _ in range(length))


def _malformed(rng: random.Random, urn: str) -> str:
    scheme, nid, rest = urn.split(":", 2)
    return rng.choice(
        (
            f"{scheme}:{nid}-:{rest}",
            f"{scheme}:{nid}:",
            f"{scheme}:{nid}:/{rest}",
            f"url:{nid}:{rest}",
            f"{scheme}:{nid}:{rest}%4",
            f"{scheme}:{nid}:{rest[:6]}?{rest[6:]}",
            f"{scheme}:{nid}:{rest[:7]}{rng.choice(_STRAY)}{rest[7:]}",
            f"{scheme}:{nid}:{rest}#a#b",
        )
    )
