"""Which requests may be answered by a replica, and the number of the event that they ask for."""

import math

import pytest
from django.test import RequestFactory

from registry.audit_log.consistency import may_be_a_moment_old, requested_sequence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, 0),
        ("0", 0),
        (" 812 ", 812),
        ("", math.inf),
        ("-1", math.inf),
        ("812:5f2c", math.inf),
        ("٨", math.inf),
        ("9" * 19, math.inf),
    ],
)
def test_a_sequence_is_a_number(text: str | None, expected: float) -> None:
    headers = {} if text is None else {"Registry-Sequence": text}
    assert requested_sequence(RequestFactory().get("/", headers=headers)) == expected


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("GET", "/", {}, True),
        ("HEAD", "/namespaces/isbn/", {}, True),
        ("GET", "/api/v1/cases/3/", {"Registry-Sequence": "0"}, True),
        ("GET", "/api/v1/cases/3/", {}, False),
        ("GET", "/registry/urn-namespaces.xml", {}, False),
        ("GET", "/registry/urn-namespaces.xml", {"Registry-Sequence": "3"}, True),
        ("GET", "/audit-log/", {}, True),
        ("GET", "/audit-log/checkpoint.txt", {}, False),
        ("GET", "/audit-log/heads/7/note.txt", {}, False),
        ("GET", "/audit-log/heads/7/timestamp.example.tsr", {}, False),
        ("GET", "/namespaces/feed.atom", {}, False),
        ("GET", "/namespaces/isbn/feed.atom", {}, False),
        ("POST", "/namespaces/isbn/", {}, False),
        ("GET", "/api/v1/cases/3/", {"Authorization": "Bearer x", "Registry-Sequence": "0"}, False),
        ("GET", "/namespaces/", {"Cookie": "sessionid=x"}, False),
        ("GET", "/accounts/login/", {}, False),
        ("GET", "/health/ready", {}, False),
        ("GET", "/resolve/urn:isbn:1", {}, False),
        ("GET", "/api/v1/events/stream/", {}, False),
        ("GET", "/unknown/", {}, False),
    ],
)
def test_public_reads_without_credentials_may_be_a_moment_old(
    method: str, path: str, headers: dict[str, str], expected: bool
) -> None:
    assert may_be_a_moment_old(RequestFactory().generic(method, path, headers=headers)) is expected
