"""A reference of IANA's record, in words and as an address."""

import pytest

from registry.namespaces.references import Reference, reference


@pytest.mark.parametrize(
    ("target", "label", "words", "url"),
    [
        (
            "https://www.rfc-editor.org/rfc/rfc8141",
            "RFC8141",
            "RFC 8141",
            "https://www.rfc-editor.org/rfc/rfc8141",
        ),
        ("https://www.rfc-editor.org/info/bcp66", "BCP66", "BCP 66", "https://www.rfc-editor.org/info/bcp66"),
        ("", "RFC Errata 3188", "RFC Errata 3188", ""),
        ("", "RFC8141\n", "RFC8141\n", ""),
        ("", "RFC٣", "RFC٣", ""),
        ("https://example.org/", "Example", "Example", "https://example.org/"),
        ("HTTPS://example.org/", "", "HTTPS://example.org/", "HTTPS://example.org/"),
        ("mailto:registry@example.org", "", "mailto:registry@example.org", ""),
        ("javascript:alert(1)", "Click", "Click", ""),
        (" https://example.org/", "", " https://example.org/", ""),
        ("", "Example Person", "Example Person", ""),
    ],
)
def test_a_reference_becomes_a_label_and_an_address(target: str, label: str, words: str, url: str) -> None:
    assert reference({"type": "uri", "target": target, "label": label}) == Reference(words, url)


def test_a_reference_with_nothing_in_it_does_no_harm() -> None:
    assert reference({}) == Reference("", "")
