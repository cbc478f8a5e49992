"""A URN in its parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.registration_template.urn_parts import split_urn
from urnsyntax import URN


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("urn:example:a", ["scheme", "nid", "nss"]),
        ("urn:example:a:b/c", ["scheme", "nid", "nss"]),
        ("urn:example:a?+r", ["scheme", "nid", "nss", "r"]),
        ("urn:example:a?=q", ["scheme", "nid", "nss", "q"]),
        ("urn:example:a#", ["scheme", "nid", "nss", "f"]),
        ("urn:example:a?+r?=q#f?=q", ["scheme", "nid", "nss", "r", "q", "f"]),
    ],
)
def test_the_parts_that_are_there_are_named(text: str, keys: list[str]) -> None:
    assert [part.key for part in split_urn(URN.parse(text))] == keys


@given(nss=st.text("abc:/%2A", min_size=1), f=st.none() | st.text("abc/?"))
def test_the_parts_together_are_the_urn(nss: str, f: str | None) -> None:
    text = f"urn:Example:{nss}" + ("" if f is None else f"#{f}")
    try:
        urn = URN.parse(text)
    except ValueError:
        return
    assert "".join(part.delimiter + part.text for part in split_urn(urn)) == text
