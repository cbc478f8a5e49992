"""Answers that are the same for everybody, compressed with gzip for those who take it.

Nothing that only one person may read is compressed: its length would tell of what is in it.
"""

import gzip
import re

from django.http import HttpRequest, HttpResponse

# Below it the answer fits into one packet anyway.
WORTHWHILE = 1000
LEVEL = 5
CODING = re.compile(
    r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?",
    re.IGNORECASE,
)


def takes_gzip(request: HttpRequest) -> bool:
    """Whether Accept-Encoding takes it, by name or by “*” (RFC 9110, section 12.5.3)."""
    weights: dict[str, float] = {}
    for part in request.headers.get("Accept-Encoding", "").split(","):
        if found := CODING.fullmatch(part):
            weights[found[1].lower()] = float(found[2] or 1)
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def compress(response: HttpResponse) -> None:
    """Put the body in gzip. The same body always becomes the same octets."""
    response.content = gzip.compress(response.content, LEVEL, mtime=0)
    response["Content-Encoding"] = "gzip"
