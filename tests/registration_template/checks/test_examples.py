"""Example URNs in running text: found, and told apart from patterns and mentions."""

import pytest

from registry.registration_template.checks.examples import find_examples


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("such as urn:wxn:1.", ["urn:wxn:1"]),
        ("(urn:wxn:a(1)), or", ["urn:wxn:a(1)"]),
        (
            "“urn:wxn:1”, 'urn:wxn:2', `urn:wxn:3`, <urn:wxn:4>, [urn:wxn:5]",
            [f"urn:wxn:{n}" for n in range(1, 6)],
        ),
        ("URN:WXN:1", ["URN:WXN:1"]),
        ("urn:wxn:1 and urn:wxn:1 again", ["urn:wxn:1"]),
        ("urn:wxn:1?=q=1#f", ["urn:wxn:1?=q=1#f"]),
        ("urn:wxn:{id} urn:wxn:<id> urn:wxn:[id] urn:wxn:*", []),
        ("urn:wxn:1..., urn:wxn:…", ["urn:wxn:1"]),
        ('the prefix "urn:wxn:" and the scheme urn: in URN:WXN', []),
        ("https://resolver.example/urn:wxn:1", []),
        ("a returnurn:wxn:1", []),
        ("", []),
    ],
)
def test_examples_are_found(text: str, found: list[str]) -> None:
    assert [example.text for example in find_examples(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "urn:wxn:100%",
        "urn:wxn:größe",
        "urn:wxn:%zz",
        "urn:-wxn:1",
        "urn:x:1",
        "urn:wxn:1^2",
        "urn:wxn:/1",
        "urn:wxn:١",
    ],
)
def test_what_is_meant_to_be_an_example_and_is_no_urn_is_found_with_its_error(text: str) -> None:
    (example,) = find_examples(f"For example, {text} is one.")
    assert example.text == text
    assert example.urn is None
    assert example.error is not None
