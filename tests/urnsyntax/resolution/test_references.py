import pytest

from urnsyntax import InvalidURN
from urnsyntax.resolution.references import InvalidReference, resolve_reference

# RFC 3986, Sections 5.4.1 and 5.4.2, in the strict form.
BASE = "http://a/b/c/d;p?q"
EXAMPLES = [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
]  # fmt: skip

URN = "urn:example:a/b?+r?=q#f"
OF_A_URN = [
    ("", "urn:example:a/b?+r?=q"),
    ("#g", "urn:example:a/b?+r?=q#g"),
    ("#", "urn:example:a/b?+r?=q#"),
    ("?=x", "urn:example:a/b?=x"),
    ("?+x?=y#z", "urn:example:a/b?+x?=y#z"),
    ("?x", "urn:example:a/b?x"),
    ("c", "urn:example:a/c"),
    ("./c:d", "urn:example:a/c:d"),
    ("../c", "urn:/c"),
    ("/c", "urn:/c"),
    ("//host/c", "urn://host/c"),
    ("urn:other:x", "urn:other:x"),
    ("https://example.org/../a", "https://example.org/a"),
]


@pytest.mark.parametrize(("reference", "target"), EXAMPLES)
def test_the_examples_of_rfc_3986(reference, target):
    assert resolve_reference(BASE, reference) == target


@pytest.mark.parametrize(("reference", "target"), OF_A_URN)
def test_references_in_a_document_whose_base_is_a_urn(reference, target):
    assert resolve_reference(URN, reference) == target


def test_a_relative_path_replaces_the_whole_name_of_a_urn_without_a_slash():
    assert resolve_reference("urn:example:a", "b") == "urn:b"
    assert resolve_reference("http://a", "b") == "http://a/b"


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        ("urn:example:a", "/.//c", "urn:/.//c"),
        ("urn:example:a/b", "..//c", "urn:/.//c"),
        ("urn:example:a", "mailto:a/..//c?d", "mailto:/.//c?d"),
        ("other:/.//c", "d", "other:/.//d"),
        ("http://a/b", "/.//c", "http://a//c"),
    ],
)
def test_no_path_becomes_an_authority(base, reference, target):
    assert resolve_reference(base, reference) == target


@pytest.mark.parametrize(
    ("reference", "position", "section"),
    [
        *(("a b", 1, "4.1"), ("é", 0, "4.1"), ("%4", 0, "4.1"), ("a\n", 1, "4.1")),
        *(("a#b#c", 3, "3.5"), ("#a#", 2, "3.5"), (":a", 0, "4.2"), ("1a:b", 0, "4.2")),
        *(("a[b", 1, "4.1"), ("?[", 1, "4.1"), ("#]", 1, "4.1"), ("//h/[::1]", 4, "4.1")),
        *(("//a:b:c", 4, "3.2"), ("//a@b@c", 5, "3.2"), ("//h:80a", 6, "3.2"), ("//[::1", 2, "3.2")),
        *(
            ("//[::1]h", 7, "3.2"),
            ("//h[::1]", 3, "3.2"),
            ("x://[1.2.3.4]", 5, "3.2.2"),
            ("//[]", 3, "3.2.2"),
        ),
        *(("//[::1%25eth0]", 3, "3.2.2"), ("//[v1]", 3, "3.2.2")),
    ],
)
def test_a_malformed_reference_is_refused_at_its_fault(reference, position, section):
    with pytest.raises(InvalidReference) as caught:
        resolve_reference(URN, reference)
    error = caught.value
    assert (error.position, error.section, error.document) == (position, section, "RFC 3986")
    assert str(error)


@pytest.mark.parametrize(
    "authority",
    [
        "",
        ":",
        "h:",
        "h:80",
        "@",
        "u:p@h:1",
        "%41@%42",
        "[::1]",
        "u@[::ffff:1.2.3.4]:80",
        "[vF.a:b]",
        "1.2.3.4",
    ],
)
def test_an_authority_of_any_form_is_kept(authority):
    assert resolve_reference(URN, f"//{authority}/a?b#c") == f"urn://{authority}/a?b#c"


def test_the_base_is_a_urn_or_another_uri_with_a_scheme():
    with pytest.raises(InvalidURN):
        resolve_reference("URN:example:", "#a")
    for base in ("a/b", "//host", "", "#a", "ht tp:a"):
        with pytest.raises(InvalidReference):
            resolve_reference(base, "#a")
    with pytest.raises(
        InvalidReference, match='"a/b" is not a base URI: at position 0, the base needs a scheme'
    ):
        resolve_reference("a/b", "#a")


@pytest.mark.parametrize(
    ("base", "reference", "actual"),
    [
        (None, "#a", "NoneType"),
        (b"urn:example:a", "#a", "bytes; decode them first"),
        (URN, None, "NoneType"),
        (URN, 7, "int"),
    ],
)
def test_another_type_is_a_clear_type_error(base, reference, actual):
    with pytest.raises(TypeError, match=f"resolve_reference takes a str, not {actual}"):
        resolve_reference(base, reference)


def test_a_path_of_many_segments_takes_linear_time():
    assert resolve_reference("http://a/", "a/" * 200_000 + "../" * 200_000) == "http://a/"
    """Copying the rest of the path for each segment would take minutes here."""
    assert resolve_reference("http://a/", "g:" + "../" * 2_000_000 + "b") == "g:b"
