"""The URN in a request, as the client wrote it.

`/resolve/` and the URN: WSGI servers percent-decode the path once, and pass the query on as it is. So the text is put
together again from both:

* “?+” and “?=” begin the query of the address, and so the r- or q-component stands in it unchanged.
* Characters that no URN contains, such as letters with accents, can only come from a percent-encoding; they are
  percent-encoded again.
* Every slash belongs to the URN, the last one too.
* A percent-encoding of a character that a URN may contain cannot be told from the character. Write its “%” as “%25”:
  `%252F` for a name with `%2F`. This is the encoding of `/api/v1/urns/`, and what every URI library produces for a URN
  in a path.

`/uri-res/SERVICE?` and the URN: the query is the URN (RFC 2169), unchanged.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

PREFIX = "/resolve/"
# pchar of RFC 3986 without pct-encoded, and what introduces paths, components and encodings
_NOT_IN_A_URN = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#%]")
_TO_QUOTE = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/]")
_SAFE = "-._~!$&'()*+,;=:@/"


def urn_in_path(meta: Mapping[str, Any]) -> str:
    """The URN of a request to `/resolve/`, from Django's `request.META`, or a WSGI environ with a path in ASCII."""
    path, query = meta["PATH_INFO"][len(PREFIX) :], meta.get("QUERY_STRING", "")
    text = _NOT_IN_A_URN.sub(lambda found: quote(found[0]), path)
    return f"{text}?{query}" if query else text


def urn_in_query(meta: Mapping[str, Any]) -> str:
    """The URN of a request to `/uri-res/`."""
    return str(meta.get("QUERY_STRING", ""))


def path_of(urn: object, *, sends_fragment: bool = False) -> str:
    """The path that resolves a URN, percent-encoded once, and the f-component as the fragment of the address.

    A client keeps the fragment itself and adds it to the address of a redirect (RFC 9110, Section 10.2.2). Services do
    not get it (RFC 8141, Section 2.3.3). With `sends_fragment`, the path has the f-component too: no request contains the
    fragment of its address, and a page with links to services needs it for them.

    >>> path_of("urn:example:a%2Fb?=x=1#f")
    '/resolve/urn:example:a%252Fb%3F=x=1#f'
    >>> path_of("urn:example:a#f", sends_fragment=True)
    '/resolve/urn:example:a%23f#f'
    """
    text, mark, fragment = str(urn).partition("#")
    text = str(urn) if sends_fragment else text
    path = PREFIX + (quote(text, safe=_SAFE) if _TO_QUOTE.search(text) else text)
    return path + mark + fragment
