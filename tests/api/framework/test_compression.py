"""Long answers come compressed for those who take it, each coding with an ETag of its own."""

import gzip
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import Scope, User
from registry.core.http.negotiation import zstd
from registry.namespaces.models import Namespace
from registry.publication import downloads
from tests.api.client import TokenClient

TREES = "/api/v1/namespaces/example-trees/versions/1/"


DECODED = {"gzip": gzip.decompress, "zstd": zstd.decompress, "": bytes}


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("GZIP;q=0.5", "gzip"),
        ("br, gzip", "gzip"),
        ("*", "gzip"),
        ("*;q=0, gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd", "zstd"),
        ("Zstd ; q=0.001", "zstd"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("zstd, gzip;q=0.5", "zstd"),
        ("zstd;q=0, gzip", "gzip"),
        ("zstd, gzip;q=0, identity;q=0", "zstd"),
        ("gzip, identity", "gzip"),
        ("gzip;q=0.5, identity", ""),
        ("zstd;q=0, *", "gzip"),
        ("zstd;q=0, gzip;q=0", ""),
        ("gzip;q=0", ""),
        ("gzip;q=0.000, *", ""),
        ("gzip;q=2", ""),
        ("gzip;q=\u0661", ""),
        ("identity", ""),
        ("br", ""),
        ("", ""),
        (",;,=", ""),
        ("gzipped", ""),
        ("zstdd", ""),
    ],
)
def test_accept_encoding_follows_rfc_9110(
    client: Client, trees: Namespace, accepted: str, coding: str
) -> None:
    plain = client.get(TREES)
    response = client.get(TREES, headers={"accept-encoding": accepted})
    assert "Accept-Encoding" in response["Vary"]
    assert response.get("Content-Encoding", "") == coding
    assert DECODED[coding](response.content) == plain.content
    assert response["Content-Length"] == str(len(response.content))


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_each_coding_has_a_strong_etag_that_is_confirmed(
    client: Client, trees: Namespace, coding: str
) -> None:
    taken = {"accept-encoding": coding}
    plain, packed = client.get(TREES), client.get(TREES, headers=taken)
    assert plain["ETag"] != packed["ETag"]
    assert packed["ETag"].startswith('"')
    again = client.get(TREES, headers={**taken, "if-none-match": packed["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", packed["ETag"])
    assert "Content-Encoding" not in again
    assert client.get(TREES, headers={"if-none-match": packed["ETag"]}).status_code == 200
    assert client.get(TREES, headers=taken).content == packed.content
    head = client.head(TREES, headers=taken)
    assert (head.content, head["Content-Length"]) == (b"", packed["Content-Length"])


@pytest.mark.parametrize("coding", ["gzip", "zstd", ""])
def test_the_whole_registry_comes_compressed(client: Client, trees: Namespace, coding: str) -> None:
    plain, packed = whole(client, ""), whole(client, coding)
    assert packed.get("Content-Encoding", "") == coding
    assert DECODED[coding](packed.body) == plain.body
    assert packed["Content-Length"] == str(len(packed.body))
    assert packed["Vary"] == "Accept-Encoding, Accept"
    assert (packed["ETag"] == plain["ETag"]) == (not coding)
    again = whole(client, coding, **{"if-none-match": packed["ETag"]})
    assert (again.status_code, again.body, again["ETag"]) == (304, b"", packed["ETag"])
    assert "Content-Encoding" not in again
    assert whole(client, "gzip, zstd", **{"if-match": plain["ETag"]}).status_code == 412


def test_a_file_spooled_to_disk_is_sent_unchanged(
    client: Client, trees: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "IN_MEMORY", 100)
    plain = whole(client, "")
    assert zstd.decompress(whole(client, "zstd").body) == plain.body


def whole(client: Client, coding: str, **headers: str) -> Any:
    """The whole registry as JSON lines, read to its end."""
    address = "/api/v1/files/urn-namespaces.jsonl"
    response: Any = client.get(address, headers={"accept-encoding": coding, **headers})
    response.body = response.getvalue()
    return response


def test_a_short_response_is_not_compressed(client: Client, isbn: Namespace) -> None:
    response = client.get("/api/v1/nids/isbn/", headers={"accept-encoding": "gzip, zstd"})
    assert "Content-Encoding" not in response


@pytest.mark.parametrize("accepted", ["gzip, identity;q=0", "gzip, *;q=0.0"])
def test_a_short_response_is_compressed_if_identity_is_rejected(
    client: Client, isbn: Namespace, accepted: str
) -> None:
    response = client.get("/api/v1/nids/isbn/", headers={"accept-encoding": accepted})
    assert response["Content-Encoding"] == "gzip"
    assert gzip.decompress(response.content) == client.get("/api/v1/nids/isbn/").content


def test_private_responses_are_not_compressed(registrant: User) -> None:
    response = TokenClient(registrant, Scope.READ).get("account", Accept_Encoding="gzip, zstd")
    assert response.status_code == 200
    assert "Content-Encoding" not in response.headers
