import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urnsyntax.udi import InvalidUDI, abbreviate, escape, parse, resolve, unescape

# Every UDI that the proposal itself gives as an example.
EXAMPLES = [
    "file://boombox.micro.umn.edu/pub/gopher/gopher_protocol",
    "gopher://gopher.micro.umn.edu:70/00/Information%20About%20Gopher/About%20Gopher",
    "file://info.cern.ch/pub/www/doc/http.txt",
    "file://quake.think.com/pub/wais/doc/doc-ids.txt",
    "file://quake.think.com/pub/wais/doc/wais-concepts.txt",
    "file://nnsf.net/rfc/rfc977.txt",
    "wais://quake.think.com/wais-discussion-archives?lynch",
    "file://uu.psi.com/wp/nir.txt",
    "wais://nnsf.net/internet-drafts?yeong",
]

READ = [
    ("http://info.cern.ch", "httpaddress", [("scheme", "http"), ("host", "info.cern.ch")]),
    ("http://h:80/", "httpaddress", [("scheme", "http"), ("host", "h"), ("port", "80"), ("path", "")]),
    (
        "http://128.141.1.2/a/b?x+y#z",
        "httpaddress",
        [("scheme", "http"), ("host", "128.141.1.2"), ("path", "a/b"), ("search", "x+y"), ("anchorid", "z")],
    ),
    ("http://h?x", "httpaddress", [("scheme", "http"), ("host", "h"), ("search", "x")]),
    ("http://h/a#", "httpaddress", [("scheme", "http"), ("host", "h"), ("path", "a"), ("anchorid", "")]),
    ("file://h/", "fileaddress", [("scheme", "file"), ("host", "h"), ("path", "")]),
    ("news:*", "newsaddress", [("scheme", "news"), ("groupart", "*")]),
    ("news:alt.hypertext", "newsaddress", [("scheme", "news"), ("group", "alt.hypertext")]),
    ("news:123@a.b", "newsaddress", [("scheme", "news"), ("article", "123"), ("host", "a.b")]),
    ("news:a@b@c.d", "newsaddress", [("scheme", "news"), ("article", "a@b"), ("host", "c.d")]),
    (
        "wais://h:210/base/TEXT/1234/a/b",
        "waisaddress",
        [
            ("scheme", "wais"), ("host", "h"), ("port", "210"), ("database", "base"),
            ("wtype", "TEXT"), ("digits", "1234"), ("path", "a/b"),
        ],
    ),
    ("telnet://h", "telnetaddress", [("scheme", "telnet"), ("host", "h")]),
    (
        "telnet://me@h:23",
        "telnetaddress",
        [("scheme", "telnet"), ("user", "me"), ("host", "h"), ("port", "23")],
    ),
    ("http://me@h/a", "httpaddress", [("scheme", "http"), ("user", "me"), ("host", "h"), ("path", "a")]),
    ("http://1a@b@h", "httpaddress", [("scheme", "http"), ("user", "1a@b"), ("host", "h")]),
    ("file://me@h/a", "fileaddress", [("scheme", "file"), ("user", "me"), ("host", "h"), ("path", "a")]),
    ("wais://me@h/b", "waisaddress", [("scheme", "wais"), ("user", "me"), ("host", "h"), ("database", "b")]),
    ("gopher://me@1.2.3.4:7", "gopheraddress",
     [("scheme", "gopher"), ("user", "me"), ("host", "1.2.3.4"), ("port", "7")]),
    ("gopher://h", "gopheraddress", [("scheme", "gopher"), ("host", "h")]),
    ("gopher://h/1", "gopheraddress", [("scheme", "gopher"), ("host", "h"), ("gtype", "1")]),
    (
        "gopher://h/0/a/b?s",
        "gopheraddress",
        [("scheme", "gopher"), ("host", "h"), ("gtype", "0"), ("selector", "a/b"), ("search", "s")],
    ),
    ("x500:a/b/", "generic", [("scheme", "x500"), ("path", "a/b/")]),
    ("mid:", "generic", [("scheme", "mid"), ("path", "")]),
]  # fmt: skip

REFUSED = [
    ("", 0, "scheme"),
    ("http", 4, "generic"),
    ("1a:b", 0, "scheme"),
    ("http:a", 5, "httpaddress"),
    ("http://", 7, "host"),
    ("http://1.2.3", 7, "host"),
    ("http://h@", 9, "host"),
    ("http://@h", 7, "user"),
    ("telnet://h@", 11, "host"),
    ("news:a@", 7, "host"),
    ("http://h:", 9, "port"),
    ("http://h:x", 9, "port"),
    ("http://h/a//b", 11, "httpaddress"),
    ("http://h/a\n", 10, "httpaddress"),
    ("http://h/é", 9, "httpaddress"),
    ("http://h/٣", 9, "httpaddress"),
    ("http://h/a?", 11, "search"),
    ("http://h/a?b++c", 13, "search"),
    ("http://h/a b", 10, "httpaddress"),
    ("http://h/a#b#c", 12, "httpaddress"),
    ("file://h", 8, "fileaddress"),
    ("file://h:21/a", 8, "fileaddress"),
    ("news:", 5, "group"),
    ("news:1.2", 5, "group"),
    ("news:a@", 7, "host"),
    ("news:@a", 5, "article"),
    ("wais://h", 8, "waisaddress"),
    ("wais://h/", 9, "database"),
    ("wais://h/b/", 11, "wtype"),
    ("wais://h/b/t", 12, "waisdoc"),
    ("wais://h/b/t/x/p", 13, "digits"),
    ("wais://h/b/t/1", 14, "waisdoc"),
    ("telnet://h/a", 10, "telnetaddress"),
    ("telnet://@h", 9, "user"),
    ("gopher://h/", 11, "gtype"),
    ("gopher://h//a", 11, "gtype"),
    ("ftp://h/a", 4, "generic"),
    ("x:/a", 2, "generic"),
    ("x:a\ud800", 3, "generic"),
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_of_the_proposal_are_read(text):
    assert str(parse(text)) == text


def test_examples_that_the_bnf_lacks_are_read_with_a_note():
    notes = {text: [note.component for note in parse(text).notes] for text in EXAMPLES}
    assert notes[EXAMPLES[1]] == ["selector"]
    assert notes[EXAMPLES[3]] == ["path"]
    assert notes[EXAMPLES[6]] == ["database"]
    assert notes[EXAMPLES[0]] == []
    assert [note.component for note in parse("http://h/100%").notes] == ["path"]
    assert [note.component for note in parse("http://me@h/").notes] == ["user"]
    assert parse("telnet://me@h").notes == ()


@pytest.mark.parametrize(("text", "kind", "parts"), READ)
def test_a_udi_has_the_parts_of_its_scheme(text, kind, parts):
    udi = parse(text)
    assert (udi.kind, list(udi.parts)) == (kind, parts)
    assert udi.scheme == parts[0][1]
    assert (udi.host, udi.port, udi.path) == tuple(dict(parts).get(name) for name in ("host", "port", "path"))


def test_the_words_of_a_search_are_split():
    assert parse("http://h/a?x+y").search == ("x", "y")
    assert parse("http://h/a").search is None


@pytest.mark.parametrize(("text", "position", "rule"), REFUSED, ids=ascii)
def test_an_invalid_udi_is_rejected_with_the_position(text, position, rule):
    with pytest.raises(InvalidUDI) as caught:
        parse(text)
    assert (caught.value.position, caught.value.rule) == (position, rule)
    assert InvalidUDI(text).position == position
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("text", "rule"), [("http://@h", "user"), ("news:@h", "article")])
def test_a_part_of_no_characters_before_an_at_sign_is_missing(text, rule):
    with pytest.raises(InvalidUDI, match=f"the {rule} is missing"):
        parse(text)


CONTEXT = "http://info.cern.ch/a/b/c.html?q#z"


@pytest.mark.parametrize(
    ("partial", "full"),
    [
        ("d.html", "http://info.cern.ch/a/b/d.html"),
        ("d/e.html", "http://info.cern.ch/a/b/d/e.html"),
        ("./d.html", "http://info.cern.ch/a/b/d.html"),
        ("../d.html", "http://info.cern.ch/a/d.html"),
        ("../../d.html", "http://info.cern.ch/d.html"),
        ("../../../d.html", "http://info.cern.ch/../d.html"),
        ("x/../d/./y/../e", "http://info.cern.ch/a/b/d/e"),
        ("..", "http://info.cern.ch/a"),
        (".", "http://info.cern.ch/a/b"),
        ("/d.html", "http://info.cern.ch/d.html"),
        ("/x/../d", "http://info.cern.ch/d"),
        ("//other.host/d", "http://other.host/d"),
        ("//other.host:81", "http://other.host:81"),
        ("#y", "http://info.cern.ch/a/b/c.html?q#y"),
        ("?x+y", "http://info.cern.ch/a/b/c.html?x+y"),
        ("", "http://info.cern.ch/a/b/c.html?q"),
        ("d?x#y", "http://info.cern.ch/a/b/d?x#y"),
        ("news:alt.hypertext", "news:alt.hypertext"),
    ],
)
def test_a_partial_form_is_read_in_its_context(partial, full):
    assert resolve(partial, CONTEXT).text == full
    assert resolve(partial, parse(CONTEXT)).text == full


@pytest.mark.parametrize(
    ("partial", "context", "full"),
    [
        ("alt.hypertext", "news:comp.infosystems", "news:alt.hypertext"),
        ("1@a.b", "news:comp.infosystems", "news:1@a.b"),
        ("a", "http://h", "http://h/a"),
        ("other?x", "wais://h/base?y", "wais://h/other?x"),
        ("b", "x500:a/c", "x500:a/b"),
        ("../b", "x500:a", "x500:../b"),
    ],
)
def test_every_scheme_has_partial_forms(partial, context, full):
    assert resolve(partial, context).text == full


@pytest.mark.parametrize("partial", ["a b", "é", "a\n", "//", "/a//b", "#a#b", "http:", "1:a", "٣"])
def test_a_bad_partial_form_is_refused(partial):
    with pytest.raises(InvalidUDI):
        resolve(partial, CONTEXT)


def test_a_bad_context_is_refused():
    with pytest.raises(InvalidUDI):
        resolve("a", "b")


@pytest.mark.parametrize(
    ("udi", "partial"),
    [
        ("http://info.cern.ch/a/b/d", "d"),
        ("http://info.cern.ch/a/d", "../d"),
        ("http://info.cern.ch/d/e/f/g", "/d/e/f/g"),
        ("http://info.cern.ch/a/b/c.html?q#y", "#y"),
        ("http://info.cern.ch/a/b/c.html?x", "?x"),
        ("http://h/a/b/c.html", "//h/a/b/c.html"),
        ("news:a", "news:a"),
    ],
)
def test_a_udi_is_abbreviated_in_its_context(udi, partial):
    assert abbreviate(udi, CONTEXT) == partial


ELEMENTS = st.lists(st.sampled_from(["a", "b", "c.d", "..", ".", "x%20y"]), max_size=4).map("/".join)
UDIS = st.one_of(
    st.builds(
        "http://{}/{}{}".format, st.sampled_from(["h", "i:80"]), ELEMENTS, st.sampled_from(["", "?s", "#a"])
    ),
    st.builds("news:{}".format, st.sampled_from(["*", "a.b", "1@c"])),
    st.builds("x:{}".format, ELEMENTS),
)


@given(UDIS, UDIS)
@example("x:a/a", "x:a/a/a/a")
def test_what_is_abbreviated_is_read_back(udi, context):
    short = abbreviate(udi, context)
    assert resolve(short, context).text == udi
    assert len(short) <= len(udi)


@given(st.text())
def test_every_local_name_survives_escaping(name):
    path = escape(name)
    assert unescape(path) == name
    assert parse(f"x:{path}").path == path
    assert resolve(f"/{path}", "http://h/a/b").path == path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a b", "a%20b"),
        ("a/../b", "a/%2E%2E/b"),
        (".", "%2E"),
        ("...", "..."),
        ("a-b+c", "a%2Db%2Bc"),
        ("", ""),
    ],
)
def test_a_local_name_keeps_its_levels(name, path):
    assert escape(name) == path


@pytest.mark.parametrize(
    ("path", "position"),
    [("%", 0), ("a%4", 1), ("a%FF", 1), ("a%C3x", 1), ("ab\ud800", 2), ("é🙂%FF", 2)],
    ids=ascii,
)
def test_a_path_that_escapes_nothing_readable_is_refused(path, position):
    with pytest.raises(InvalidUDI) as caught:
        unescape(path)
    assert caught.value.position == position


def test_a_lone_surrogate_cannot_be_escaped():
    with pytest.raises(InvalidUDI) as caught:
        escape("a\ud800")
    assert caught.value.position == 1
