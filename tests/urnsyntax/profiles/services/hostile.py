"""Names that try to change an address, and what no name can change."""

import posixpath
import re
from urllib.parse import unquote, urlsplit

from urnsyntax.profiles.services.forms import FORMS, NO_CHECK_DIGIT

PIECES = [
    "..", ".", "/", "//", "/../", "/./", "..;", ";", "%2E", "%2e%2E", "%2F", "%2f..%2f", "%5C", "%5c..%5C", "%252E%252E",
    "%0D%0A", "%00", "%09", "%7F", "%3F", "%23", "%40", "@", "@evil.example", ":", ":80", "evil.example", "https://evil.example",
    "javascript:", "&", "&admin=1", "=", "%26", "%25", "%C3%A9", "%E2%80%AE", "%ff", "~", "a", "Z", "0", "9780451450524", "00280836", "-", "_",
    "'", "(", ")", "*", "$", "!", ",", "+",
]  # fmt: skip
Q_PIECES = [*PIECES, "?", "/?", "a=1"]

_VISIBLE = re.compile("[!-~]+")
_NOT_IN_ADDRESSES = re.compile(r'[#\\"<>^`{|}]')
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def hostile_text(random, pieces=PIECES, most=8):
    """A text of an NSS or, with `Q_PIECES`, of a q-component."""
    return "".join(random.choices(pieces, k=random.randint(1, most))).lstrip("/?") or "x"


def values_for(template, texts):
    """The texts in the forms of the variables, as values to expand; None if a text has not the form."""
    values = []
    for variable, text in zip(template.variables, texts, strict=True):
        for form in variable.forms:
            if form == NO_CHECK_DIGIT:
                text = text[:-1]
            elif text:
                text = FORMS[form].function(text)
        if not text:
            return None
        values.append(text)
    return values


def check_address(template, address, q_component):
    """Assert what holds for each address of a template."""
    before = template.text.partition("{")[0]
    expected, found = urlsplit(before), urlsplit(address)
    assert _VISIBLE.fullmatch(address)
    assert not _NOT_IN_ADDRESSES.search(address)
    assert (found.scheme, found.netloc, found.hostname) == ("https", expected.netloc, template.host)
    assert (found.port, found.username, found.password) == (expected.port, None, None)
    assert address.startswith(before[:-1] if before[-1] in "?&" else before)
    drops_query = template.takes_q and not q_component and template.text[-4] == "?"
    assert address.count("?") == template.text.count("?") - drops_query
    assert found.geturl() == address
    _check_path(expected.path, found.path)


def _check_path(literal, path):
    """Assert that a server that decodes before it removes dot segments finds the same folder."""
    decoded = unquote(path, errors="surrogateescape").replace("\\", "/")
    assert not _CONTROL.search(decoded)
    assert not path.startswith("//")
    segments = [segment.partition(";")[0] for segment in decoded.split("/")]
    assert not {".", ".."} & set(segments)
    folder = posixpath.dirname(literal).rstrip("/")
    assert posixpath.normpath("/" + "/".join(segments).lstrip("/")).startswith(folder or "/")
