"""Parsing of submitted forms in bounded memory.

Django decodes a form with `urllib.parse`, which takes up to 80 octets of memory for each octet of the form.
"""

import re
from binascii import unhexlify
from collections.abc import Iterator
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import BadRequest, TooManyFieldsSent
from django.http import QueryDict

from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_FORM_LENGTH

FORM_TYPE = "application/x-www-form-urlencoded"
ESCAPES = re.compile(b"(?:%[0-9A-Fa-f]{2})+")
ESCAPE_LENGTH = len("%41")
BLOCK = 16 * 1024  # octets that are decoded at once
MAX_OCTETS = 4  # of a character in UTF-8


class FormTooLong(RegistryError, BadRequest):
    """The fields of a form have more characters than the registry accepts."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The form is too long"

    def __init__(self) -> None:
        super().__init__(f"A form can have at most {MAX_FORM_LENGTH:,} characters, in all fields together.")


def parse_form(octets: bytes) -> QueryDict:
    """The fields of a form. Raises TooManyFieldsSent or FormTooLong. The result is that of QueryDict."""
    form, length = QueryDict(mutable=True), 0
    for name, value in _fields_in(octets):
        length += len(name) + len(value)
        if length > MAX_FORM_LENGTH:
            raise FormTooLong
        form.appendlist(name, value)
    form._mutable = False
    return form


def _fields_in(octets: bytes) -> Iterator[tuple[str, str]]:
    if octets.count(b"&") >= settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:
        raise TooManyFieldsSent("The form has more fields than settings.DATA_UPLOAD_MAX_NUMBER_FIELDS.")
    for field in octets.split(b"&"):
        if field:
            name, _, value = field.partition(b"=")
            yield _decoded(name), _decoded(value)


def _decoded(octets: bytes) -> str:
    octets = octets.replace(b"+", b" ")
    decoded, start = bytearray(), 0
    while start < len(octets):
        end = start + BLOCK
        # A block does not end within a percent-encoded octet.
        escape = octets.find(b"%", end - ESCAPE_LENGTH + 1, end)
        end = escape if escape > 0 else end
        decoded += ESCAPES.sub(_unescaped, octets[start:end])
        start = end
    if len(decoded) > MAX_OCTETS * MAX_FORM_LENGTH:
        raise FormTooLong
    return decoded.decode("utf-8", "replace")


def _unescaped(escapes: re.Match[bytes]) -> bytes:
    return unhexlify(escapes[0].replace(b"%", b""))
