"""Range requests (RFC 9110, Section 14)."""

import pytest
from django.test import RequestFactory

from registry.core.http.conditional import RangeNotSatisfiable, requested_range

ETAG = '"abc"'


def asked(value: str, method: str = "GET", **headers: str) -> tuple[int, int] | None:
    request = RequestFactory().generic(method, "/", headers={"range": value} | headers)
    return requested_range(request, 100, ETAG)


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=10-19", (10, 20)),
        ("bytes=10-", (10, 100)),
        ("bytes=99-", (99, 100)),
        ("bytes=90-1000", (90, 100)),
        ("bytes=-5", (95, 100)),
        ("bytes=-1000", (0, 100)),
        (" bytes=10-19 ", (10, 20)),
    ],
)
def test_one_range_is_a_part_of_the_file(value: str, part: tuple[int, int]) -> None:
    assert asked(value) == part
    assert asked(value, **{"if-range": ETAG}) == part


@pytest.mark.parametrize(
    "value",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=5-4",
        "bytes=0-1,5-6",
        "bytes=+1-2",
        "bytes=1-2x",
        "lines=1-2",
        "bytes=٣-٤",
        f"bytes={'9' * 400}-",
    ],
)
def test_the_whole_file_is_sent_for_anything_else(value: str) -> None:
    assert asked(value) is None


@pytest.mark.parametrize("etag", ['"other"', 'W/"abc"', "Sat, 01 Jan 2000 00:00:00 GMT"])
def test_a_client_with_another_representation_gets_the_whole_file(etag: str) -> None:
    assert asked("bytes=10-19", **{"if-range": etag}) is None


def test_head_has_no_ranges() -> None:
    assert asked("bytes=10-19", "HEAD") is None


@pytest.mark.parametrize("value", ["bytes=100-", "bytes=1000-2000", "bytes=-0"])
def test_a_range_after_the_end_is_refused_with_the_size(value: str) -> None:
    with pytest.raises(RangeNotSatisfiable) as refused:
        asked(value)
    assert refused.value.headers == {"Content-Range": "bytes */100"}
