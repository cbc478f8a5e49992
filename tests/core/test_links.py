"""What texts refer to becomes a link: RFCs and their sections, cases, URNs and web addresses."""

import pytest

from registry.core.links import links_in, with_links, with_references
from registry.core.markdown import as_html

RFC = "https://www.rfc-editor.org/rfc/rfc"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See RFC 8141, Section 6.4.2.", {"RFC 8141, Section 6.4.2": f"{RFC}8141#section-6.4.2"}),
        ("by RFC8141 section 5", {"RFC8141 section 5": f"{RFC}8141#section-5"}),
        ("Appendix A of RFC 8141", {"Appendix A of RFC 8141": f"{RFC}8141#appendix-A"}),
        ("Section 4.4\nof RFC-8126;", {"Section 4.4\nof RFC-8126": f"{RFC}8126#section-4.4"}),
        ("[RFC2141] and RFC 0822", {"RFC2141": f"{RFC}2141", "RFC 0822": f"{RFC}822"}),
        ("Compare case 7 and Case 12.", {"case 7": "/cases/7/", "Case 12": "/cases/12/"}),
        ("(urn:example:a-b?+r#f)", {"urn:example:a-b?+r#f": "/urns/?urn=urn:example:a-b%3F%2Br%23f"}),
        ("URN:Example:A%2F, then", {"URN:Example:A%2F": "/urns/?urn=URN:Example:A%252F"}),
        ("https://example.org/a(b).", {"https://example.org/a(b)": "https://example.org/a(b)"}),
        (
            "https://example.org/?u=urn:example:a",
            {"https://example.org/?u=urn:example:a": "https://example.org/?u=urn:example:a"},
        ),
        ("RFC 8141 section Syntax", {"RFC 8141": f"{RFC}8141"}),
        ("RFC 8141, section on syntax, appendix a of it", {"RFC 8141": f"{RFC}8141"}),
        ("Section 6.4.2a of RFC 8141, Appendix Acme", {"RFC 8141": f"{RFC}8141"}),
        ("urn:example:. and urn:example:", {}),
        ("case 0, cases 7, RFC, RFC 123456, urn:x:a, blurn:example:a, showcase 7", {}),
    ],
)
def test_references_are_links(text: str, found: dict[str, str]) -> None:
    parts = list(links_in(text))
    assert "".join(part for part, _ in parts) == text
    assert {part: address for part, address in parts if address} == found


def test_a_page_of_another_site_gets_web_addresses_alone() -> None:
    text = "https://example.org/ <b> case 7 & RFC 8141"
    link = '<a href="https://example.org/" rel="nofollow ugc">https://example.org/</a>'
    assert with_links(text) == f"{link} &lt;b&gt; case 7 &amp; RFC 8141"
    case = '<a href="/cases/7/" rel="nofollow ugc">case 7</a>'
    assert with_references("<case 7>") == f"&lt;{case}&gt;"


TITLES = {
    "Syntax": "/cases/7/#round-2-syntax",
    "Security and Privacy": "/cases/7/#round-2-security_and_privacy",
}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One\ntwo\n\nthree", "<p>One<br>two</p>\n<p>three</p>\n"),
        ("*a* **b** `c*d`", "<p><em>a</em> <strong>b</strong> <code>c*d</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
        ("```abnf\nNSS = 1*DIGIT ; case 7\n```", "<pre><code>NSS = 1*DIGIT ; case 7\n</code></pre>\n"),
        ("# a", "<p># a</p>\n"),
        ("a\n===", "<p>a<br>===</p>\n"),
        ("<script>a</script>", "<p>&lt;script&gt;a&lt;/script&gt;</p>\n"),
        (
            "![a](https://example.org/b.png)",
            '<p>!<a href="https://example.org/b.png" rel="nofollow ugc">a</a></p>\n',
        ),
        ("[a](javascript:b)", "<p>[a](javascript:b)</p>\n"),
        ("[a](data:text/html,b)", "<p>[a](data:text/html,b)</p>\n"),
        ("[a](ftp://example.org/)", "<p>[a](ftp://example.org/)</p>\n"),
        ("1*DIGIT / 2*HEX, a_b_c", "<p>1*DIGIT / 2*HEX, a_b_c</p>\n"),
        ("a  b\\\nc", "<p>a  b<br>c</p>\n"),
        (
            "https://example.org/__init__.py",
            '<p><a href="https://example.org/__init__.py" rel="nofollow ugc">https://example.org/__init__.py</a></p>\n',
        ),
        (
            "<urn:example:a*b*>",
            '<p>&lt;<a href="/urns/?urn=urn:example:a%2Ab%2A" rel="nofollow ugc">urn:example:a*b*</a>&gt;</p>\n',
        ),
        ("``a`1*b``", "<p><code>a`1*b</code></p>\n"),
        ("[case 7](/urns/)", '<p><a href="/urns/" rel="nofollow ugc">case 7</a></p>\n'),
        ("`case 7` case 7", '<p><code>case 7</code> <a href="/cases/7/" rel="nofollow ugc">case 7</a></p>\n'),
        (
            "urn:example:a_b_c",
            '<p><a href="/urns/?urn=urn:example:a_b_c" rel="nofollow ugc">urn:example:a_b_c</a></p>\n',
        ),
    ],
)
def test_comments_are_commonmark_without_what_a_page_must_not_have(text: str, html: str) -> None:
    assert as_html(text) == html


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("See section Syntax.", ["Syntax"]),
        ("The Security and Privacy section lacks it.", ["Security and Privacy"]),
        ('In “Syntax” and "Security and Privacy"', ["Syntax", "Security and Privacy"]),
        ("Syntax matters, section Syntaxes and `section Syntax` not", []),
    ],
)
def test_sections_that_are_named_as_such_are_links(text: str, named: list[str]) -> None:
    html = as_html(text, TITLES)
    assert html.count("<a ") == len(named)
    assert all(f'<a href="{TITLES[title]}" rel="nofollow ugc">{title}</a>' in html for title in named)


@pytest.mark.parametrize("mark", ["*", "`a", "[", "a\n"])
def test_a_text_that_is_all_marks_is_shown_as_it_is(mark: str) -> None:
    text = mark * 10_000
    assert as_html(text) == f'<p class="prose">{text}</p>'
    assert "case 7</a>" in as_html(f"{text} case 7")
