"""Compressed requests: a body is never unpacked, so a small one can't become a large one."""

import gzip
import json
import zlib

import pytest
from django.test import Client

BODY = json.dumps({"urns": ["urn:isbn:0451450523"], "level": "syntax"}).encode()
BOMB = gzip.compress(bytes(100 * 1024**2))
CODED = {
    "gzip": gzip.compress(BODY),
    "GZIP": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "gzip, gzip": gzip.compress(gzip.compress(BODY)),
    "x-gzip": BOMB,
}


@pytest.mark.parametrize(("coding", "body"), CODED.items(), ids=CODED.keys())
def test_coded_json_is_unreadable(coding: str, body: bytes, client: Client, db: None) -> None:
    answer = client.generic(
        "POST", "/api/v1/urns/check/", body, content_type="application/json", HTTP_CONTENT_ENCODING=coding
    )
    assert (answer.status_code, answer.json()["title"]) == (400, "Unreadable body")


def test_a_coded_form_has_no_fields(client: Client, db: None) -> None:
    form = gzip.compress(b"login=registrant@example.org&password=secret")
    answer = client.generic(
        "POST",
        "/accounts/login/",
        form,
        content_type="application/x-www-form-urlencoded",
        HTTP_CONTENT_ENCODING="gzip",
    )
    assert answer.status_code == 422
    assert "registrant@example.org" not in answer.content.decode()


def test_a_coded_part_of_a_form_is_not_unpacked(client: Client, db: None) -> None:
    part = (
        b"--x\r\nContent-Disposition: form-data; name=login\r\nContent-Encoding: gzip\r\n\r\n%s\r\n--x--\r\n"
    )
    answer = client.generic(
        "POST", "/accounts/login/", part % BOMB[:60_000], content_type="multipart/form-data; boundary=x"
    )
    assert answer.status_code in (400, 422)
    assert len(answer.content) < 300_000
