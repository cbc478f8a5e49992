"""Request bodies that take much memory if they are parsed before they are checked.

Each has the longest size that its address accepts, or is as long as its name says.
"""

from collections.abc import Callable

from registry.core.http.request_limits import MULTIPART_TYPE

# One character beyond U+FFFF makes Python store four octets for each character of a text.
WIDE = "\N{PILE OF POO}"


def repeated(unit: str, *, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """A body of at most the given length, filled with `unit`."""

    def body(length: int) -> bytes:
        start, filling, end = before.encode(), unit.encode(), after.encode()
        return start + filling * ((length - len(start) - len(end)) // len(filling)) + end

    return body


def names(value: str = "0") -> Callable[[int], bytes]:
    """An object with as many different members as fit."""

    def body(length: int) -> bytes:
        count = length // (len('"1234567":,') + len(value))
        return ("{" + ",".join(f'"{number}":{value}' for number in range(count)) + "}").encode()

    return body


def inside(member: str, text: str) -> Callable[[int], bytes]:
    """An object with one long text, as a section of a template or as another member."""
    return repeated(text, before=f'{{"{member}":"{WIDE}', after='"}')


JSON_BODIES = {
    "open arrays": repeated("["),
    "nested objects": repeated('{"a":'),
    "closed arrays": repeated("[],", before="[", after="0]"),
    "arrays that are nested evenly": repeated("[[0],[0]],", before="[", after="0]"),
    "numbers": repeated("0,", before="[", after="0]"),
    "fractions": repeated("1.5,", before="[", after="0]"),
    "empty texts": repeated('"",', before="[", after="0]"),
    "objects": repeated('{"a":0},', before="[", after="0]"),
    "members": names(),
    "members with objects": names("{}"),
    "one name twice": repeated('"a":0,', before="{", after='"a":0}'),
    "a long name": repeated("a", before=f'{{"{WIDE}', after='":0}'),
    "a long text": repeated("a", before=f'"{WIDE}', after='"'),
    "escapes": repeated("\\u0041", before=f'"{WIDE}', after='"'),
    "quotation marks": repeated('\\"', before='"', after='"'),
    "a text that does not end": repeated("\\\\", before='"'),
    "lone quotation marks": repeated('"'),
    "a long number": repeated("9"),
    "a long negative number": repeated("9", before="-"),
    "a long fraction": repeated("9", before="0."),
    "white space": repeated(" "),
    "commas": repeated(","),
    "NUL": repeated("\0"),
    "octets that are not UTF-8": lambda length: b"\xff" * length,
    "a long section": inside("sections", "a"),
    "a long unknown section": repeated("a", before='{"sections":{"', after='":0}}'),
    "unknown sections": repeated('"":0,', before='{"sections":{', after='"a":0}}'),
    "a long choice": inside("kind", "a"),
    "wrong replies": repeated("0,", before='{"sections":{},"replies":[', after="0]}"),
    "a template of blank lines": inside("template", "\\n"),
    "a template of headings": inside("template", "Purpose:\\n"),
    "a template of unplaced lines": repeated(
        "x\\n", before='{"kind":"formal","template":"', after='Namespace Identifier: ab\\nPurpose: x\\n"}'
    ),
}
TEXT_BODIES = {
    "blank lines": repeated("\n"),
    "short lines": repeated("a\n"),
    "headings": repeated("Purpose:\n"),
    "unplaced lines": repeated("x\n", after="Namespace Identifier: ab\nPurpose: x\n"),
    "one line": repeated("a", before=WIDE),
    "folded lines": repeated("a  \n"),
}
FORM_BODIES = {
    "percent signs": repeated("%", before="purpose="),
    "escaped letters": repeated("%41", before="purpose="),
    "escaped letters and others": repeated("%41xx", before="purpose="),
    "escaped octets that are not UTF-8": repeated("%FF", before="purpose="),
    "escaped emoji": repeated("%F0%9F%92%A9", before="purpose="),
    "ampersands": repeated("&"),
    "fields": repeated("a=&"),
    "equals signs": repeated("="),
    "plus signs": repeated("+", before="purpose="),
    "quotation marks": repeated("%22", before="purpose=%F0%9F%92%A9"),
    "raw quotation marks": repeated('"', before=f"stamp=0&purpose={WIDE}"),
    "line breaks": repeated("%0A", before="stamp=0&purpose="),
    "a template of line breaks": repeated("%0A", before="kind=formal&procedure=community&template="),
    "a template of unplaced lines": repeated(
        "x%0A",
        before="kind=formal&procedure=community&template=",
        after="Namespace+Identifier:+ab%0APurpose:+x%0A",
    ),
    "a template of examples": repeated("%20urn:a:%3C", before="stamp=0&namespace_identifier=abc&purpose="),
}
# Texts just below the limits of a form, which are processed and shown.
LONGEST_TEXTS = {
    "quotation marks": '"' * 499_000 + WIDE,
    "line breaks": "\n" * 249_000,
    "lines": "a\n" * 120_000,
    "malformed examples": "".join(f" urn:a{number}:%" for number in range(16_000)),
    "examples": "".join(f" urn:a{number}:b" for number in range(16_000)),
    "placeholders": " ".join("x" * number for number in range(3, 690)),
    "wide characters": WIDE * 249_000,
    "markup": "<" * 499_000 + WIDE,
}


FILE = f"{MULTIPART_TYPE}; boundary=b"


def file_of(length: int) -> bytes:
    """A form with a file; the body has this length."""
    head = b'--b\r\nContent-Disposition: form-data; name="purpose"; filename="a.txt"\r\n\r\n'
    end = b"\r\n--b--\r\n"
    return head + b"x" * (length - len(head) - len(end)) + end
