"""Hostile texts, JSON values, bodies and headers. The texts with the marker show where input is not escaped."""

from typing import Any

MARKER = "xq9"
OTHER_SITE = f"{MARKER}.example"
REFLECTED = (
    f"<{MARKER}>",
    f'"><{MARKER} x="',
    f"' on{MARKER}='1",
    f'" on{MARKER}="1',
    f"</textarea></title></script><{MARKER}>",
    f"--><{MARKER}>",
    f"javascript:{MARKER}()",
    f"//{OTHER_SITE}/",
    f"https://{OTHER_SITE}/",
    f"/\\{OTHER_SITE}",
    f"x\r\nSet-Cookie: {MARKER}=1\r\n\r\n<{MARKER}>",
)
NUMBERS = (
    "0",
    "-1",
    "1",
    "2147483648",
    "9" * 19,
    "9" * 30,
    "9" * 5_000,
    "1e400",
    "1.5",
    "NaN",
    "0x10",
    "1_000",
)
STRANGE = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\x1b[31m",
    "\u202egnirts",
    "\ufeff",
    "１２",
    "٣",
    "é" * 10,
    "\N{PILE OF POO}",
    "null",
    "true",
    "[]",
    "{}",
    "%",
    "%00",
    "%2e%2e%2f",
    "../../../../etc/passwd",
    "..\\..\\settings.py",
    "file:///etc/passwd",
    "'; DROP TABLE cases_case; --",
    "' OR '1'='1",
    "{{ settings.SECRET_KEY }}",
    "{% debug %}",
    "${7*7}",
    "2026-13-45",
    "0000-00-00T25:61:61Z",
    "^(a+)+$",
    "(" * 500,
    "[" * 500,
    "urn:" * 200,
    "urn:isbn:%zz",
    "a@b@c",
    "a" * 300,
)
LONG = ("a" * 70_000, "\n" * 70_000, "<" * 70_000, "é" * 70_000)
TEXTS = (*REFLECTED, *NUMBERS, *STRANGE)


def nested(depth: int) -> Any:
    found: Any = "x"
    for _ in range(depth):
        found = [found]
    return found


JSON_VALUES: tuple[Any, ...] = (
    *TEXTS,
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    [],
    {},
    [None],
    [[]],
    {"": ""},
    {MARKER: {MARKER: []}},
    nested(100),
    ["x"] * 300,
    dict.fromkeys(map(str, range(300)), 1),
)
JSON_BODIES = (
    b"",
    b"{",
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    b'{"a":1,"a":2}',
    b'{"nid":"\\ud800"}',
    b'{"nid":"\\u0000"}',
    b'{"nid":"\xed\xa0\x80"}',
    b"NaN",
    b'{"a":1e999}',
    b"[" + b"9" * 5_000 + b"]",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'"text"',
    f'{{"<{MARKER}>":1}}'.encode(),
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>',
)
CONTENT_TYPES = (
    "",
    "application/json",
    "application/json; charset=utf-7",
    "application/merge-patch+json",
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=rot13",
    "application/xml",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    f"multipart/form-data; boundary={'x' * 100}",
    "a/b/c;;=",
    "\x7f",
)
METHODS = ("GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get", "X" * 50)
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
# A name of a header, with values.
HEADERS: dict[str, tuple[str, ...]] = {
    "Accept": ("*/*", "application/xml", "text/html;q=x", "a" * 3_000, ",,;;==", "application/json;v=\x7f"),
    "Accept-Encoding": ("gzip;q=-1", "zstd, br", "*" * 500),
    "Accept-Language": ("xx-" * 300, "\xff"),
    "Authorization": ("Bearer", "Bearer \xff", f"Bearer {'a' * 5_000}", "Basic YTpi", "bearer  x y"),
    "Cookie": (
        "sessionid=x",
        "sessionid=" + "\\" * 300,
        "csrftoken=\x00",
        "a" * 3_000,
        ";;=;",
        "messages=x:y:z",
    ),
    "Host": ("testserver:0", "testserver.", f"{OTHER_SITE}", "[::1", "a b", "testserver:99999"),
    "HX-Request": ("true", "x"),
    "HX-Target": REFLECTED,
    "HX-Current-URL": REFLECTED,
    "Idempotency-Key": ("", "a", "a" * 300, "\x00", f"<{MARKER}>"),
    "If-Match": ("*", '"', 'W/"1"', '"1", ' * 300, "\xff", "1"),
    "If-None-Match": ("*", '"', 'W/"x"', "," * 500),
    "If-Modified-Since": ("yesterday", "Sat, 32 Nov 2026 25:00:00 GMT", "9" * 300),
    "Origin": ("null", "http://testserver", f"https://{OTHER_SITE}"),
    "Range": (
        "bytes=0-",
        "bytes=-1",
        "bytes=9-1",
        f"bytes={'0-1,' * 300}",
        "x=1-2",
        "bytes=" + "9" * 5_000 + "-",
    ),
    "Referer": (*REFLECTED, "http://testserver/", "http://["),
    "X-Forwarded-For": ("127.0.0.1", "x", "1.2.3.4," * 300, "::1%eth0", f"<{MARKER}>"),
    "X-Forwarded-Host": (OTHER_SITE, f"<{MARKER}>"),
    "X-Forwarded-Proto": ("https", "x"),
    "X-HTTP-Method-Override": ("DELETE", "GET"),
    "X-Request-ID": (f"<{MARKER}>", "a" * 300),
    "Content-Length": ("0", "-1", "x", "99999999", "9" * 30),
    "Transfer-Encoding": ("chunked", "x"),
    "Content-Encoding": ("gzip", "br"),
}
# Names of query parameters: those of the registry, of its frameworks, and unknown ones.
PARAMETERS = (
    "q", "p", "o", "e", "all", "page", "after", "before", "nid", "kind", "state", "status", "sort", "from", "to",
    "urn", "show", "of", "since", "until", "limit", "next", "format", "fields", "round", "section", "case", "verb",
    "procedure", "registrant", "_popup", "_to_field", "_facets", "_changelist_filters", "password__regex", "pk",
    "body__contains", "app_label", "model_name", "field_name", "term", "__class__", f"<{MARKER}>", "a" * 200, "",
)  # fmt: skip
