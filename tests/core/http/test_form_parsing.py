"""Parsing of forms: the same result as Django's, in bounded memory."""

import tracemalloc
from urllib.parse import quote_from_bytes, urlencode

import pytest
from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from registry.core.http import request_validation
from registry.core.http.request_validation import FormTooLong, parse_form
from registry.core.validators import MAX_FORM_LENGTH, BodySize
from tests.security.hostile_bodies import FORM_BODIES

OCTETS = st.lists(st.sampled_from(b"%4e2c&=+a;\xc3\xa4 F").map(lambda octet: bytes([octet]))).map(b"".join)


@given(OCTETS)
def test_any_octets_are_parsed_as_by_django(octets: bytes) -> None:
    octets = octets.decode("utf-8", "ignore").encode()  # Django takes other octets for ISO 8859-1
    assert parse_form(octets) == QueryDict(octets)


@given(st.lists(st.tuples(st.text(), st.text(min_size=1))))
def test_what_a_browser_encodes_is_decoded(fields: list[tuple[str, str]]) -> None:
    form = parse_form(urlencode(fields).encode())
    assert sorted((name, value) for name, values in form.lists() for value in values) == sorted(fields)


@pytest.mark.parametrize("shift", range(4))
def test_no_escape_is_cut_where_a_block_ends(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    monkeypatch.setattr(request_validation, "BLOCK", 7)
    for text in ("x" * shift + "ä€\N{PILE OF POO}%" * 20, "%" * 50, "x" * shift + "%%%41%4"):
        octets = f"a={quote_from_bytes(text.encode())}&b={text}".encode()
        assert parse_form(octets) == QueryDict(octets)


def test_the_fields_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        parse_form(b"a=1")["a"] = "2"


def test_a_form_has_limits() -> None:
    assert len(parse_form(b"&".join([b"a=1"] * 1_000)).getlist("a")) == 1_000
    with pytest.raises(TooManyFieldsSent):
        parse_form(b"&".join([b"a=1"] * 1_001))
    assert parse_form(b"a=" + b"x" * (MAX_FORM_LENGTH - 1))["a"]
    for octets in (
        b"a=" + b"x" * MAX_FORM_LENGTH,
        b"x" * (MAX_FORM_LENGTH + 1),
        b"a=" + b"%41" * MAX_FORM_LENGTH,
    ):
        with pytest.raises(FormTooLong):
            parse_form(octets)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", FORM_BODIES)
def test_a_form_takes_a_few_times_its_length_in_memory(name: str) -> None:
    body = FORM_BODIES[name](BodySize.TEXTS)
    tracemalloc.start()
    try:
        parse_form(body)
    except (FormTooLong, TooManyFieldsSent):
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 12 * len(body)
