"""Validation of requests, and parsing of their forms.

Django decodes a form with `urllib.parse`, which takes up to 80 octets of memory for each octet of the form.

* Truncated bodies are rejected; otherwise half of a draft could be saved as the draft.
* The charset of the body is ignored: Django would decode the query with it, using any codec of Python, including
  codecs that fail. All input is UTF-8.
* Headers of proxies that nothing has to read are removed. In WSGI, `X_Forwarded_For` and `X-Forwarded-For` have one name,
  so a client can replace the second by the first behind a proxy that lets it pass. The address of the client is
  that of CLIENT_ADDRESS_HEADER, whose name has no hyphen, or without proxies that of the connection.
* A body whose Content-Length is not a number is not read: Django and the API convert it without a check. A number that
  is too long to be converted becomes MAX_LENGTH, which is more than any view accepts.
* Backslashes are removed from cookies. The registry sets none, and Python before 3.11.10 takes quadratic time to
  parse them (CVE-2024-7592).
"""

import re
from binascii import unhexlify
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import BadRequest, TooManyFieldsSent
from django.http import QueryDict

from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_FORM_LENGTH

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, WSGIEnvironment


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


# The only parameter of a media type that is needed (RFC 2046, Section 5.1.1).
BOUNDARY = re.compile(
    r"""boundary=(?:[0-9A-Za-z'()+_,./:=?-]{1,70}|"[0-9A-Za-z'()+_,./:=? -]{1,70}")""", re.IGNORECASE
)
UNREAD_HEADERS = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PORT")
SCHEME_HEADER = "HTTP_X_FORWARDED_PROTO"
LENGTH = re.compile("[0-9]+")
MAX_LENGTH = "9" * 18


def sanitize_request(environ: "WSGIEnvironment") -> None:
    """Apply the rules of this module to a WSGI environ, in place."""
    for name in UNREAD_HEADERS:
        environ.pop(name, None)
    if not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        environ.pop(SCHEME_HEADER, None)
    if "\\" in environ.get("HTTP_COOKIE", ""):
        environ["HTTP_COOKIE"] = environ["HTTP_COOKIE"].replace("\\", "")
    if ";" in environ.get("CONTENT_TYPE", ""):
        environ["CONTENT_TYPE"] = _without_charset(environ["CONTENT_TYPE"])
    length = environ.get("CONTENT_LENGTH", "")
    if length and not LENGTH.fullmatch(length):
        environ["CONTENT_LENGTH"] = length = "0"
    if len(length) > len(MAX_LENGTH):
        environ["CONTENT_LENGTH"] = length = MAX_LENGTH
    if length:
        environ["wsgi.input"] = WholeBody(environ["wsgi.input"], int(length))


def _without_charset(media_type: str) -> str:
    name, _, parameters = media_type.partition(";")
    boundary = BOUNDARY.search(parameters)
    return f"{name}; {boundary[0]}" if boundary else name


class WholeBody:
    """A body of which `left` octets are to be read. If it ends early, it raises OSError, like a broken connection."""

    def __init__(self, body: "InputStream", length: int) -> None:
        self._body = body
        self.left = length

    def read(self, size: int = -1) -> bytes:
        wanted = self._wanted(size)
        return self._whole(self._body.read(wanted), wanted)

    def readline(self, size: int = -1) -> bytes:
        wanted = self._wanted(size)
        line = self._body.readline(wanted)
        return self._whole(line, len(line) if line.endswith(b"\n") else wanted)

    def _wanted(self, size: int) -> int:
        return self.left if size < 0 else min(size, self.left)

    def _whole(self, octets: bytes, wanted: int) -> bytes:
        if len(octets) < wanted:
            raise OSError("The body ended before its Content-Length.")
        self.left -= wanted
        return octets
