"""Long answers come in gzip for those who take it, with an ETag of their own."""

import gzip

import pytest
from django.test import Client

from registry.accounts.models import Scope, User
from registry.namespaces.models import Namespace
from tests.api.asking import Program

TREES = "/api/v1/namespaces/example-trees/"


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("gzip", True),
        ("GZIP;q=0.5", True),
        ("br, gzip", True),
        ("*", True),
        ("*;q=0, gzip", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("identity", False),
        ("br", False),
        ("", False),
        ("gzipped", False),
    ],
)
def test_accept_encoding_is_read_as_rfc_9110_says(
    client: Client, trees: Namespace, accepted: str, is_compressed: bool
) -> None:
    plain = client.get(TREES)
    response = client.get(TREES, headers={"accept-encoding": accepted})
    assert "Accept-Encoding" in response["Vary"]
    assert ("Content-Encoding" in response) == is_compressed
    body = gzip.decompress(response.content) if is_compressed else response.content
    assert body == plain.content
    assert response["Content-Length"] == str(len(response.content))


def test_each_encoding_has_a_strong_etag_that_is_confirmed(client: Client, trees: Namespace) -> None:
    zipped = {"accept-encoding": "gzip"}
    plain, packed = client.get(TREES), client.get(TREES, headers=zipped)
    assert plain["ETag"] != packed["ETag"]
    assert packed["ETag"].startswith('"')
    again = client.get(TREES, headers={**zipped, "if-none-match": packed["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", packed["ETag"])
    assert "Content-Encoding" not in again
    assert client.get(TREES, headers={"if-none-match": packed["ETag"]}).status_code == 200
    assert client.get(TREES, headers=zipped).content == packed.content


def test_a_short_answer_is_left_as_it_is(client: Client, isbn: Namespace) -> None:
    response = client.get("/api/v1/nids/isbn/", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in response


def test_what_one_person_may_read_is_not_compressed(registrant: User) -> None:
    response = Program(registrant, Scope.READ).get("mine", Accept_Encoding="gzip")
    assert response.status_code == 200
    assert "Content-Encoding" not in response.headers
