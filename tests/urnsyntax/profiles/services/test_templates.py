"""Address templates: what is refused, the examples of RFC 6570 that apply, and what a value cannot do."""

import pytest

from urnsyntax.profiles import InvalidTemplate, UnsafeAddress
from urnsyntax.profiles.services.templates import (
    MAX_ADDRESS,
    MAX_TEMPLATE,
    MAX_VARIABLES,
    encoded,
    parse_template,
)

HOST = "https://a.example"
REFUSED = [
    # The scheme and the host
    ("http://a.example/", 0, "The scheme is not https."),
    ("HTTPS://a.example/", 0, "The scheme is not https."),
    ("//a.example/", 0, "The scheme is not https."),
    ("javascript:alert(1)", 0, "The scheme is not https."),
    ("{scheme}://a.example/", 0, "The scheme is not https."),
    ("https:///path", 8, "The host is missing."),
    ("https://{nss}", 8, "A variable is not allowed in the host."),
    ("https://a.{nss}.example/", 10, "A variable is not allowed in the host."),
    ("https://a.example:{nss}/", 18, "A variable is not allowed in the host."),
    ("https://a.example{nss}/", 17, "A variable is not allowed in the host."),
    ("https://a.example", 17, "The path is missing."),
    ("https://a.example?x={nss}", 17, "The path is missing."),
    ("https://user@a.example/", 8, "The host has user information."),
    ("https://user:word@a.example/", 8, "The host has user information."),
    ("https://127.0.0.1/", 8, "The host is an IP address"),
    ("https://0x7f.1/", 8, "The host is an IP address"),
    ("https://a.0x7f/", 8, "The host is an IP address"),
    ("https://2130706433/", 8, "The host has only one label."),
    ("https://[::1]/", 8, "“[” is not a label of lower-case letters"),
    ("https://localhost/", 8, "The host has only one label."),
    ("https://a.localhost/", 8, "“localhost” is not a public domain."),
    ("https://printer.local/", 8, "“local” is not a public domain."),
    ("https://db.internal/", 8, "“internal” is not a public domain."),
    ("https://router.home.arpa/", 8, "“home.arpa” is not a public domain."),
    ("https://A.example/", 8, "“A” is not a label of lower-case letters"),
    ("https://a_b.example/", 8, "“a_b” is not a label"),
    ("https://-a.example/", 8, "“-a” is not a label"),
    ("https://a..example/", 8, "A label of the host is empty."),
    ("https://a.example./", 8, "A label of the host is empty."),
    ("https://%61.example/", 8, "“%61” is not a label"),
    (f"https://{'a' * 64}.example/", 8, f"“{'a' * 63}” is not a label"),
    (f"https://{'a.' * 124}example/", 8, "The host has 255 characters; the limit is 253."),
    ("https://ab--c.example/", 8, "“ab--c” is not an A-label (RFC 5890)."),
    ("https://xn--a.example/", 8, "“xn--a” is not an A-label"),
    ("https://a.example:/", 8, "The port is not a number from 1 to 65535."),
    ("https://a.example:0/", 8, "The port is not a number"),
    ("https://a.example:65536/", 8, "The port is not a number"),
    ("https://a.example:8x/", 8, "The port is not a number"),
    ("https://bücher.example/", 9, "U+00FC is not allowed in an address."),
    # Characters
    (f"{HOST}/a b", 19, "U+0020 is not allowed in an address."),
    (f"{HOST}/\r\n", 18, "U+000D is not allowed in an address."),
    (f"{HOST}/\x00", 18, "U+0000 is not allowed in an address."),
    (f"{HOST}/a\\b", 19, "“\\” is not allowed in an address."),
    (f"{HOST}/<{{nss}}>", 18, "“<” is not allowed in an address."),
    (f"{HOST}/%zz", 18, "“%” is not allowed in an address."),
    (f"{HOST}/a%", 19, "“%” is not allowed in an address."),
    (f"{HOST}/{{nss}}#top", 23, "The template has a fragment."),
    (f"{HOST}/?a=1?b={{nss}}", 22, "The template has a second “?”."),
    (f"{HOST}/" + "a" * MAX_TEMPLATE, None, f"The template has {MAX_TEMPLATE + 18:,} characters"),
    # The path
    (f"{HOST}//{{nss}}", 17, "The path begins with “//”"),
    (f"{HOST}/../{{nss}}", 17, "The path begins with “//”, or contains the segment “.” or “..”"),
    (f"{HOST}/a/%2e%2E/b", 17, "The path begins with “//”, or contains the segment"),
    (f"{HOST}/a/..;x/b", 17, "The path begins with “//”, or contains the segment"),
    (f"{HOST}/%0d%0a{{nss}}", 17, "The path begins with “//”, or contains"),
    # Variables
    (f"{HOST}/{{nss", 18, "“{” is not closed, or contains another one."),
    (f"{HOST}/{{a{{b}}}}", 18, "“{” is not closed, or contains another one."),
    (f"{HOST}/nss}}", 21, "“}” closes nothing."),
    (f"{HOST}/{{}}", 18, "“{}” is not a variable."),
    (f"{HOST}/{{a,b}}", 18, "“{a,b}” is not a variable."),
    (f"{HOST}/{{#nss}}", 18, "“{#nss}” is not a variable."),
    (f"{HOST}/{{?nss}}", 18, "“{?nss}” is not a variable."),
    (f"{HOST}/{{/nss}}", 18, "“{/nss}” is not a variable."),
    (f"{HOST}/{{nss*}}", 18, "“{nss*}” is not a variable."),
    (f"{HOST}/{{nss:}}", 18, "“{nss:}” is not a variable."),
    (f"{HOST}/{{nss:3}}", 18, "“3” is not a form."),
    (f"{HOST}/{{nss:lower:shout}}", 18, "“shout” is not a form. Use one of: lower, upper"),
    (f"{HOST}/?x={{+nss}}", 21, "“+” is not allowed in the query."),
    (f"{HOST}/" + "{a}" * (MAX_VARIABLES + 1), None, "The template has 21 variables; the limit is 20."),
    # The q-component
    (f"{HOST}/{{q}}", 18, "The q-component is in the wrong place."),
    (f"{HOST}/?{{q}}&a=1", 19, "The q-component is in the wrong place."),
    (f"{HOST}/?a={{q}}", 21, "The q-component is in the wrong place."),
    (f"{HOST}/?a&{{q:lower}}", 21, "The q-component is in the wrong place."),
    (f"{HOST}/a&{{q}}", 20, "The q-component is in the wrong place."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position", "reason"), REFUSED, ids=[text[:50] for text, *_ in REFUSED])
def test_a_template_is_refused_with_place_and_reason(text, position, reason):
    with pytest.raises(InvalidTemplate) as refusal:
        parse_template(text)
    assert refusal.value.position == position
    assert refusal.value.message.startswith(reason)
    assert refusal.value.advice


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/",
        "https://a.example:8443/{nss}",
        "https://www.a-b.xn--p1ai/{+nss}",
        "https://xn--bcher-kva.example/{a-b}?x={c_d:lower:no-hyphens}&{q}",
        "https://a.example/%7Bnss%7D;v=1/(x)!$&'*+,=@:~?/",
        f"https://{'a' * 63}.example/" + "a" * (MAX_TEMPLATE - 80),
    ],
)
def test_a_template_is_taken(text):
    template = parse_template(text)
    assert template.text == text
    assert text.startswith(f"https://{template.host}")


def test_variables_are_known_with_their_forms():
    template = parse_template("https://a.example/{+a}/{b:lower:no-hyphens}?{q}")
    assert [(each.name, each.forms, each.keeps_reserved) for each in template.variables] == [
        ("a", (), True), ("b", ("lower", "no-hyphens"), False),
    ]  # fmt: skip
    assert template.takes_q


# RFC 6570, Section 3.2.2 and 3.2.3: the examples of simple and reserved expansion with values that an NSS can have.
VALUE, BASE, PATH = "value", "http://example.com/home/", "/foo/bar"
SIMPLE = [(VALUE, "value"), (BASE, "http%3A%2F%2Fexample.com%2Fhome%2F"), (PATH, "%2Ffoo%2Fbar"), ("1024", "1024"),
          ("red,green,blue", "red%2Cgreen%2Cblue"), (";,.", "%3B%2C."), ("768", "768"), ("%25", "%25")]  # fmt: skip
RESERVED = [
    (VALUE, "value"),
    (BASE, BASE),
    (PATH, PATH),
    ("red,green,blue", "red,green,blue"),
    (";,.", ";,."),
]


@pytest.mark.parametrize(("value", "expected"), SIMPLE)
def test_simple_expansion_encodes_reserved_characters(value, expected):
    assert encoded(value, keeps_reserved=False) == expected
    assert parse_template(f"{HOST}/x{{v}}").expand([value]) == f"{HOST}/x{expected}"
    assert parse_template(f"{HOST}/?v={{v}}").expand([value]) == f"{HOST}/?v={expected}"


@pytest.mark.parametrize(("value", "expected"), RESERVED)
def test_reserved_expansion_keeps_the_characters_of_a_path(value, expected):
    assert encoded(value, keeps_reserved=True) == expected
    assert parse_template(f"{HOST}/x{{+v}}/here").expand([value]) == f"{HOST}/x{expected}/here"


@pytest.mark.parametrize("keeps_reserved", [False, True])
def test_what_an_nss_cannot_contain_is_encoded_all_the_same(keeps_reserved):
    assert encoded("\r\n\x00 ?#\\é\ud800", keeps_reserved=keeps_reserved) == "%0D%0A%00%20%3F%23%5C%C3%A9"


@pytest.mark.parametrize("value", ["a%2Fb", "a%2fb", "%C3%A9", "100%25", "%2523"])
@pytest.mark.parametrize("operator", ["", "+"])
def test_a_percent_encoding_survives_exactly_once(value, operator):
    assert parse_template(f"{HOST}/{{{operator}v}}").expand([value]) == f"{HOST}/{value}"


@pytest.mark.parametrize("value", ["%", "%2", "%zz", "a%"])
def test_a_percent_sign_without_digits_is_encoded(value):
    assert parse_template(f"{HOST}/{{+v}}").expand([value]) == f"{HOST}/" + value.replace("%", "%25")


DOTS = ["..", ".", "a/..", "../a", "a/./b", "%2e", "%2E%2e", ".%2e", "a%2F..", "a%2f%2E.%2Fb", "a%5C..", "..;x", "a/..%3B",
        "./"]  # fmt: skip


@pytest.mark.parametrize("value", DOTS)
def test_dot_segments_are_refused(value):
    with pytest.raises(UnsafeAddress, match=r"segment “\.” or “\.\.”"):
        parse_template(f"{HOST}/a/{{+v}}").expand([value])
    if "/" not in value:
        with pytest.raises(UnsafeAddress, match=r"segment “\.” or “\.\.”"):
            parse_template(f"{HOST}/a/{{v}}/b?x=1").expand([value])


@pytest.mark.parametrize("value", ["...", ".a", "a.", "a..b", "..a/b.", "%2e%2e%2e", "1.0", ";.."])
def test_dots_in_other_segments_are_taken(value):
    assert parse_template(f"{HOST}/a/{{+v}}/b").expand([value]) == f"{HOST}/a/{value}/b"


def test_dots_join_with_the_dots_of_the_template():
    template = parse_template(f"{HOST}/.{{v}}/x")
    assert template.expand(["a"]) == f"{HOST}/.a/x"
    with pytest.raises(UnsafeAddress):
        template.expand(["."])


def test_dots_in_the_query_are_taken():
    assert parse_template(f"{HOST}/?x={{v}}").expand(["../.."]) == f"{HOST}/?x=..%2F.."


def test_a_path_cannot_begin_with_two_slashes():
    with pytest.raises(UnsafeAddress, match="as if a host followed"):
        parse_template(f"{HOST}/{{+v}}").expand(["/evil.example/"])
    assert parse_template(f"{HOST}/a/{{+v}}").expand(["/b"]) == f"{HOST}/a//b"


@pytest.mark.parametrize("value", ["%00", "%0d%0A", "a%1F", "%7f"])
def test_encoded_control_characters_are_refused(value):
    with pytest.raises(UnsafeAddress, match=r"control character %[01D7]"):
        parse_template(f"{HOST}/{{v}}").expand([value])
    with pytest.raises(UnsafeAddress, match="control character"):
        parse_template(f"{HOST}/x?{{q}}").expand([], value)


def test_the_length_of_an_address_is_limited():
    template = parse_template(f"{HOST}/{{v}}")
    room = MAX_ADDRESS - len(f"{HOST}/")
    assert len(template.expand(["a" * room])) == MAX_ADDRESS
    with pytest.raises(UnsafeAddress, match="would have 8,193 characters; the limit is 8,192"):
        template.expand(["a" * (room + 1)])


def test_a_q_component_keeps_its_delimiters():
    template = parse_template(f"{HOST}/x?{{q}}")
    assert template.expand([], "a=1&b=/%26?c") == f"{HOST}/x?a=1&b=/%26%3Fc"
    assert template.expand([]) == f"{HOST}/x"
    second = parse_template(f"{HOST}/x?id={{v}}&{{q}}")
    assert second.expand(["1&admin=1"], "a=1") == f"{HOST}/x?id=1%26admin%3D1&a=1"
    assert second.expand(["1"]) == f"{HOST}/x?id=1"


def test_a_q_component_that_the_template_does_not_take_is_dropped():
    assert parse_template(f"{HOST}/x").expand([], "a=1") == f"{HOST}/x"


def test_an_empty_value_leaves_the_literals():
    assert parse_template(f"{HOST}/x{{v}}y").expand([""]) == f"{HOST}/xy"
