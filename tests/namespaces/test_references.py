"""A reference of IANA's record, in words and as an address."""

import pytest

from registry.namespaces.references import Reference, reference


@pytest.mark.parametrize(
    ("kind", "target", "label", "words", "url"),
    [
        ("rfc", "rfc8141", "", "RFC 8141", "https://www.rfc-editor.org/rfc/rfc8141"),
        ("rfc", "bcp66", "", "BCP 66", "https://www.rfc-editor.org/info/bcp66"),
        ("rfc-errata", "3188", "", "RFC Errata 3188", "https://www.rfc-editor.org/errata/eid3188"),
        (
            "draft",
            "RFC-ietf-uuidrev-rfc4122bis-14",
            "",
            "draft-ietf-uuidrev-rfc4122bis-14",
            "https://datatracker.ietf.org/doc/html/draft-ietf-uuidrev-rfc4122bis-14",
        ),
        ("registry", "uri-schemes", "", "uri-schemes", "https://www.iana.org/assignments/uri-schemes"),
        ("uri", "https://example.org/", "Example", "Example", "https://example.org/"),
        ("uri", "HTTPS://example.org/", "", "HTTPS://example.org/", "HTTPS://example.org/"),
        ("uri", "mailto:registry@example.org", "", "mailto:registry@example.org", ""),
        ("uri", "javascript:alert(1)", "Click", "Click", ""),
        ("person", "Example_Person", "", "Example_Person", ""),
        ("text", "", "a letter", "a letter", ""),
    ],
)
def test_a_reference_becomes_words_and_an_address(
    kind: str, target: str, label: str, words: str, url: str
) -> None:
    stored = {"type": kind, "target": target, "label": label}
    assert reference(stored) == Reference(words, url)


def test_a_reference_with_nothing_in_it_does_no_harm() -> None:
    assert reference({}) == Reference("", "")
