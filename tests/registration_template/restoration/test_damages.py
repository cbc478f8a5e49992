"""Every damage is undone and named, or asked about; what is whole stays as it is."""

from collections.abc import Iterator
from html import escape
from typing import Any

import pytest

from registry.registration_template.exceptions import NoHeadings
from registry.registration_template.parsing.headings import SectionName, find_section_name
from registry.registration_template.parsing.parser import parse_exactly, parse_template
from registry.registration_template.restoration import labels
from registry.registration_template.restoration.changes import Kind
from registry.registration_template.restoration.restoring import restore
from registry.registration_template.sections import SECTION_BY_KEY
from tests.registration_template.restoration.damages import DAMAGES, NEAR_NAMES, WHOLE, followed_by, quoted
from tests.support.linear_time import assert_linear_time
from tests.support.shared_data import shared

SHARED = ("8141/c2pa.8141.txt", "8141/stalwart.8141.txt", "8141/mrn.8141.txt")


@pytest.mark.parametrize("name", DAMAGES)
def test_all_sections_are_read_as_from_the_whole_text(name: str) -> None:
    kind, damage = DAMAGES[name]
    damaged = damage(WHOLE)
    parsed = parse_template(damaged)
    assert parsed.template == parse_exactly(WHOLE).template
    assert kind in {change.kind for change in parsed.changes}
    for change in parsed.changes:
        assert change.lines
        assert max(change.lines) <= damaged.count("\n") + 1


@pytest.mark.parametrize(
    ("title", "near"), [(title, near) for title in NEAR_NAMES for near in NEAR_NAMES[title]]
)
def test_a_name_close_to_that_of_a_section_is_read_as_its_heading(title: str, near: str) -> None:
    parsed = parse_template(WHOLE.replace(f"{title}:", f"{near}:", 1))
    assert parsed.template == parse_exactly(WHOLE).template
    line = WHOLE.split(f"{title}:")[0].count("\n") + 1
    assert [(each.kind, each.lines, each.is_certain) for each in parsed.changes] in (
        [(Kind.NAMES, (line,), False)],
        [],  # a name of the older form
    )


def test_a_whole_template_loses_nothing() -> None:
    assert restore(WHOLE).changes == ()
    assert restore(WHOLE).text == WHOLE
    assert parse_template(WHOLE) == parse_exactly(WHOLE)


def _words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _words(each) for key, each in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value


def _shared_texts() -> Iterator[tuple[str, str]]:
    for name in SHARED:
        yield name, shared(f"data/templates/{name}").read_bytes().decode().rstrip() + "\n"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_shared_templates_is_undone(name: str) -> None:
    for file, whole in _shared_texts():
        expected, read = (
            parse_exactly(whole).template.to_json(),
            parse_template(DAMAGES[name][1](whole)).template.to_json(),
        )
        differing = [key for key in SECTION_BY_KEY if _words(read[key]) != _words(expected[key])]
        assert differing == [], file


def test_every_shared_template_reads_as_before() -> None:
    for path in sorted(shared("data/templates").glob("*/*.txt")):
        text = path.read_bytes().decode()
        assert parse_template(text) == parse_exactly(text), path.name


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_can_be_undone(kind: Kind) -> None:
    damaged = next(
        (damage(WHOLE) for each, damage in DAMAGES.values() if each == kind),
        WHOLE.replace("Resolution:", "Resolver:"),
    )
    assert kind in {change.kind for change in restore(damaged).changes}
    assert kind not in {change.kind for change in restore(damaged, keep=[kind]).changes}
    assert restore(damaged, keep=list(Kind)).text == damaged


@pytest.mark.parametrize(
    "text",
    [
        followed_by("\nBest regards,\nRobin Example\n")(WHOLE),
        followed_by("\nAuthor's Address\n\nRobin Example\n")(WHOLE),
        quoted(above="Thank you.\n\n", below="\nI agree.\n")(WHOLE),
        WHOLE.replace('name = station "/" series', "name =3D station").replace("station = 5DIGIT", "a = b"),
        WHOLE.replace("Documentation:", "References:"),
        WHOLE.replace('name = station "/" series\nstation = 5DIGIT', "See https://example.org/?id=3D4F."),
        WHOLE.replace("No issues are known.", "As on\n\nPage 3 of 7\n\nof the standard."),
        WHOLE.replace(
            "https://example.org/names", "RFC 8141   URNs   April 2017\nRFC 8458   NBNs   October 2018"
        ),
        followed_by("--\nand this is its second part.\n")(WHOLE),
    ],
    ids=[
        "closing",
        "author",
        "reply",
        "mixed code",
        "near name",
        "query",
        "page",
        "list of RFCs",
        "dashes",
    ],
)
def test_what_is_uncertain_is_asked(text: str) -> None:
    doubtful = [change for change in restore(text).changes if not change.is_certain]
    assert len(doubtful) == 1
    assert doubtful[0].message.endswith("Check this: it may be part of your text.")


@pytest.mark.parametrize(
    "text",
    [
        "Quotes of others:\n> urn:wxn:1\n> urn:wxn:2\n",
        "ABNF:\nversion = 1*DIGIT\ndate = 8DIGIT\npurpose = ALPHA\nsyntax =\n  date\n",
        "See https://example.org/?a=20&b=3.\n",
        "A number  is\u00a0kept. \u200cJoiners too.\n",
        "Use <br> for breaks.\n",
        "```\nname = station\n```\n",
        "-- \nfollows no signature\n",
        "~~~\nfollows no fence that closes\n",
        "| a | b |\n|---|---|\n",
        'The pattern is \\d{4}\\_[a-z\\-]*, and "\\" is a backslash.\n',
        'mark = "\\_" / "\\" / "x"\n',
        "Write & as &amp; in XML.\n",
        "station =3DIGIT\nname = 2DIGIT\n",
        "If a> b, the rest of b> is left out.\n",
        "2 letters\n3 digits\n",
        "The network says «CAFÉ» for a café, and “MENÜ” for a menu.\n",
        "Notes:\nOther:\nno digits\n",
        "[1]: https://example.org/\n* [ ] a box\n",
        "Numbers go 1 – 9.\nHistory:\nnone\n",
    ],
)
def test_what_looks_like_damage_within_a_text_stays(text: str) -> None:
    whole = WHOLE.replace('name = station "/" series\n', text)
    assert parse_template(whole) == parse_exactly(whole)


@pytest.mark.parametrize("text", ["[Page 3]", "RFC 9999    Names    May 2026\n\u00a0", "```\n```\n", ""])
def test_a_text_of_damage_alone_is_no_template(text: str) -> None:
    with pytest.raises(NoHeadings):
        parse_template(text)


@pytest.mark.parametrize(
    "text",
    [
        'name = <station> "/" <Series>',
        "a<b and c < d",
        "<![foo[ > and <![ > and <![ifx]>",
        "<![cdata[x]]>",
        "<!-- no end",
        "<![CDATA[ no end",
        "<p no end",
    ],
)
def test_what_is_no_markup_in_html_is_text(text: str) -> None:
    syntax = 'name = station "/" series'
    html = DAMAGES["HTML, headings"][1](WHOLE)
    assert escape(syntax) in html
    parsed = parse_template(html.replace(escape(syntax), text))
    assert parsed.template == parse_exactly(WHOLE.replace(syntax, text)).template


def test_markup_that_is_not_of_html_is_left_out() -> None:
    text = "<p>Version: 1</p><p><![if !x]>a<![endif]><!-- b --><?c d?> <![CDATA[<e>]]> <bcp14>MUST</bcp14> <x a='1'>.</p>"
    assert restore(text).text == "Version: 1\na <e> MUST ."


def test_a_remark_between_quoted_lines_is_no_text_of_the_template() -> None:
    line = "> Names of measuring stations, and of the series that they record. They are\n"
    long = line.replace("They are", "These are many.")
    whole = WHOLE.replace(line[2:], long[2:])
    text = quoted()(whole)
    remark = parse_template(text.replace(long, f"{long}I doubt that.\n"))
    assert remark.template == parse_exactly(whole).template
    assert [change.before for change in remark.changes] == ["I doubt that."]
    wrapped = text.replace("These are many.", "These are\nmany.")
    assert "These are\nmany." in parse_template(wrapped).template.purpose


def test_a_word_that_a_soft_hyphen_divides_is_joined() -> None:
    divided = WHOLE.replace("They are\nused by", "They are us\u00ad\ned by")
    parsed = parse_template(divided)
    assert "They are used\nby archives" in parsed.template.purpose
    assert [change.kind for change in parsed.changes] == [Kind.INVISIBLE]


def test_a_forwarded_message_within_a_section_takes_no_section_with_it() -> None:
    inserted = "No issues are known.\n\n-----Original message-----\nFrom: Robin Example\n"
    whole = WHOLE.replace("No issues are known.\n", inserted)
    assert parse_template(whole) == parse_exactly(whole)


def test_a_message_is_in_short_sentences() -> None:
    [change] = restore(WHOLE.replace("Resolution:", "Resolver:")).changes
    assert change.message == (
        "Names close to that of a missing section were read as its heading (RFC 8141, Appendix A). "
        "Line 21: “Resolver:” became “Resolution:”. Check this: it may be part of your text."
    )


@pytest.mark.parametrize("rest", ["", " It follows RFC 9999." * 9])
def test_the_sample_of_a_long_line_shows_what_was_changed(rest: str) -> None:
    line = "The names of this namespace are defined by a society that publishes a list, see"
    [change] = restore(WHOLE.replace("No issues are known.", f"{line} part\\_one.{rest}")).changes
    assert change.before.startswith("…")
    assert "part\\_one" in change.before
    assert change.after.startswith("…")
    assert "part_one" in change.after
    assert max(len(change.before), len(change.after)) <= 62


def test_places_are_lines_of_the_original_text() -> None:
    parsed = parse_template(f"Thank you.\n\n{DAMAGES['quoted'][1](WHOLE)}")
    assert parsed.lines["version"] == 4
    assert parse_template(DAMAGES["message, base64"][1](WHOLE)).lines["version"] >= 8


def test_each_line_is_compared_with_the_labels_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def recorded(name: str) -> SectionName | None:
        compared.append(name)
        return find_section_name(name)

    monkeypatch.setattr(labels, "find_section_name", recorded)
    restore(WHOLE + "".join(f"Version {number}\n" for number in range(500)))
    assert len(compared) < 600


@pytest.mark.parametrize(
    "field",
    [
        "Content-Type: " + "(" * 900,
        "Content-Type: text/plain; charset=" + '"(' * 20_000,
        "Content-Transfer-Encoding: " + "(" * 20_000,
        "Content-Disposition: " + "(" * 5_000,
        "Content-Type: text/plain; charset=undefined\nContent-Transfer-Encoding: base64",
        "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1_500)),
        "Content-Type: message/rfc822\n\n" * 1_500,
    ],
    ids=lambda field: field[:40],
)
def test_a_malformed_header_is_no_error_of_the_program(field: str) -> None:
    with pytest.raises(NoHeadings):
        parse_template(f"From: a\nTo: b\n{field}\n\nNo template.\n")


def test_the_attachment_with_the_template_is_read() -> None:
    attachment = f"Content-Disposition: attachment\nContent-Type: text/plain; charset=utf-8\n\n{WHOLE}"
    text = f"From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee the attachment.\n--b\n{attachment}\n--b--\n"
    assert parse_template(text).template == parse_exactly(WHOLE).template


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "line",
    [
        "> " * 30_000,
        "Version" + " " * 60_000 + "x",
        "|" + "-" * 60_000 + "x",
        "RFC 1  x" + " " * 60_000 + "x",
        "From: <" + "@" * 60_000,
        "\n" * 60_000,
        "Purpose:\n" + "-- \n" * 15_000,
        "<b>x" * 15_000,
        "*" * 60_000,
        "- " * 30_000,
        "=" * 60_000,
        "=3D" * 20_000,
        "<p " * 20_000,
        "<p>a</p>" * 3 + "<p <" * 15_000,
        "<p>a</p>" * 3 + "<p a=' " * 10_000,
        "<p>a</p>" * 3 + "<!-- >" * 10_000,
        "<p>a</p>" * 3 + "<![CDATA[ >" * 6_000,
        "<p>" * 20_000,
        "| " * 30_000,
        "\u00a0" * 60_000,
        "Page " * 12_000,
        "a: " * 20_000,
        "On " * 20_000,
        "\f1\n" * 20_000,
        "=\n" * 30_000,
        "Contents:\n" * 6_000,
        "RFC 1  " * 8_000,
    ],
    ids=lambda line: repr(line[:6]),
)
def test_hostile_text_is_restored_in_linear_time(line: str) -> None:
    assert_linear_time(
        restore,
        f"{WHOLE}{line}\n",
        WHOLE.replace("Purpose:\n", "Purpose:\n" + "Names of stations.\n" * 3_500),
    )


@pytest.mark.parametrize("text", ["« voilà\u00a0» et « qualité\u00a0»", "“café”—“thé”… ", "“ð”\u00a0–"])
def test_marks_after_an_accented_letter_are_no_wrong_encoding(text: str) -> None:
    assert restore(f"Purpose: {text}").changes == ()


@pytest.mark.parametrize(
    ("text", "joined", "origins"),
    [
        ("con\u00ad\n ti\u00ad\nnued\nmore", "continued\nmore", (1, 4)),
        ("con\u00ad\ntinued more\nmore", "continued\nmore\nmore", (1, 2, 3)),
        ("odd\u00ad\nSyntax: more", "odd\nSyntax: more", (1, 2)),
    ],
)
def test_a_word_that_soft_hyphens_divide_is_joined_in_its_paragraph(
    text: str, joined: str, origins: tuple[int, ...]
) -> None:
    restored = restore(f"Purpose: {text}")
    assert (restored.text, restored.origins) == (f"Purpose: {joined}", origins)
