"""Downloads of IANA's files, from a local server: accepted and rejected responses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from threading import Thread

import pytest
from django.core.management import CommandError, call_command

from registry.namespaces.models import Namespace
from registry.publication.iana import download
from registry.publication.iana.download import check_url, is_url
from registry.publication.iana.file_reader import read_versions
from registry.publication.iana.records import DownloadFailed, URLNotAllowed
from tests.publication.iana.samples import a_record, an_xml

XML = an_xml(formal=a_record("example-a"))
CSV = b"URN Namespace,Template,Reference\r\nisbn,,[RFC3187]\r\n"
Answer = Callable[[BaseHTTPRequestHandler], None]


def saying(body: bytes, *, status: int = 200, **headers: str) -> Answer:
    """Answers with a body; a header's underscores are hyphens."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def redirecting(target: str) -> Answer:
    return saying(b"", status=302, Location=target)


@contextmanager
def a_server(answers: dict[str, Answer]) -> Iterator[str]:
    """Run a server with these paths during the block; yield its URL."""

    class Known(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers.get(self.path, saying(b"", status=404))(self)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Known)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def serving(body: bytes, name: str = "urn-namespaces.xml", media_type: str = "application/xml", **more: str):  # type: ignore[no-untyped-def]
    return a_server({f"/{name}": saying(body, Content_Type=media_type, **more)})


@pytest.mark.parametrize(
    "media_type", ["application/xml", "text/xml; charset=utf-8", "text/plain", "application/octet-stream"]
)
def test_a_file_is_read_from_an_address(media_type: str) -> None:
    with serving(XML, media_type=media_type) as origin:
        (version,) = read_versions(f"{origin}/urn-namespaces.xml")
    assert (version.name, version.file.updated) == ("urn-namespaces.xml", "2020-01-01")
    assert [record.nid for record in version.file.records] == ["example-a"]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("2021-07-01.urn-namespaces-1.csv", "2021-07-01.urn-namespaces-1.csv"),
        ("download?file=1", "download.csv"),
        ("", "urn-namespaces.csv"),
        ("a%2F..%2Fb", "b.csv"),
    ],
)
def test_a_csv_file_is_recognised_by_its_name_or_its_type(name: str, called: str) -> None:
    with serving(CSV, name=name, media_type="text/csv") as origin:
        (version,) = read_versions(f"{origin}/{name}")
    assert version.name == called
    assert version.file.is_partial


@pytest.mark.django_db
def test_the_command_reads_an_address() -> None:
    out = StringIO()
    with serving(XML) as origin:
        call_command("import_iana", f"{origin}/urn-namespaces.xml", stdout=out, stderr=out)
    assert "1 added" in out.getvalue()
    assert Namespace.objects.get().nid == "example-a"


def test_a_few_redirects_are_followed() -> None:
    answers = {
        "/1": redirecting("/2"),
        "/2": redirecting("/3"),
        "/3": redirecting("/urn-namespaces.xml"),
        "/urn-namespaces.xml": saying(XML, Content_Type="text/xml"),
    }
    with a_server(answers) as origin:
        (version,) = read_versions(f"{origin}/1")
    assert len(version.file.records) == 1


@pytest.mark.parametrize(
    "target",
    [
        "http://registry.example.org/urn-namespaces.xml",
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "http://name:word@127.0.0.1/",
    ],
)
def test_a_redirect_leads_nowhere_where_nothing_is_read_from(target: str) -> None:
    with a_server({"/1": redirecting(target)}) as origin, pytest.raises((URLNotAllowed, DownloadFailed)):
        read_versions(f"{origin}/1")


def test_redirects_end() -> None:
    answers = {f"/{count}": redirecting(f"/{count + 1}") for count in range(9)}
    with a_server(answers | {"/round": redirecting("/round")}) as origin:
        for start in ("/0", "/round"):
            with pytest.raises(DownloadFailed, match="redirect"):
                read_versions(origin + start)


@pytest.mark.parametrize(
    "url",
    [
        "http://registry.example.org/urn-namespaces.xml",
        "http://127.0.0.1.example.org/",
        "http://10.0.0.1/urn-namespaces.xml",
        "http://[::2]/",
        "http://[::1/",
        "http://127.0.0.1:port/",
        "https:///urn-namespaces.xml",
        "https://name:password@example.org/",
        "https://example.org/\n",
        "https://example.org/a b",
        "https://exämple.org/",
        "https://example.org/１",
        "ftp://example.org/urn-namespaces.xml",
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "javascript://example.org/",
        "://",
    ],
)
def test_nothing_is_read_but_https_and_this_machine(url: str) -> None:
    with pytest.raises(URLNotAllowed):
        check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.iana.org/a.xml",
        "HTTPS://EXAMPLE.ORG",
        "http://127.0.0.1:8000/a",
        "http://[::1]/",
        "http://localhost/a",
    ],
)
def test_https_and_this_machine_are_read_from(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ("https://example.org", True),
        ("file:///etc", True),
        ("urn-namespaces.xml", False),
        ("/tmp/a", False),
        ("C:/a", False),
        ("", False),
    ],
)
def test_urls_and_paths_are_distinguished(source: str, is_one: bool) -> None:
    assert is_url(source) is is_one


def test_an_address_that_is_refused_is_misuse() -> None:
    with pytest.raises(CommandError, match="only https") as refusal:
        call_command("import_iana", "http://registry.example.org/urn-namespaces.xml")
    assert refusal.value.returncode == 2


GZIP = {"Content_Encoding": "gzip"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (saying(b"", status=404), "404"),
        (saying(b"", status=500), "500"),
        (saying(b"<html></html>", Content_Type="text/html"), "text/html"),
        (saying(XML, Content_Type="application/xml", **GZIP), "gzip"),
        (saying(XML, Content_Type="application/xml", Content_Length=str(len(XML) + 1)), "ended after"),
        (saying(XML, Content_Type="application/xml", Content_Length=str(10**9 - 1)), "larger than 512 MB"),
    ],
)
def test_a_response_that_is_not_a_file_is_rejected(answer: Answer, words: str) -> None:
    with a_server({"/urn-namespaces.xml": answer}) as origin, pytest.raises(DownloadFailed, match=words):
        read_versions(f"{origin}/urn-namespaces.xml")


def endless(request: BaseHTTPRequestHandler) -> None:
    """Send a body without Content-Length until the client closes the connection."""
    request.send_response(200)
    request.send_header("Content-Type", "application/xml")
    request.end_headers()
    try:
        while True:
            request.wfile.write(b" " * 65536)
    except OSError:
        pass


def test_an_endless_response_is_cut_at_the_limit() -> None:
    with a_server({"/a.xml": endless}) as origin, pytest.raises(DownloadFailed, match="larger than 1 MB"):
        read_versions(f"{origin}/a.xml", max_bytes=1024**2)


def test_a_response_that_takes_too_long_is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "DEADLINE", -1)
    with serving(XML) as origin, pytest.raises(DownloadFailed, match="took longer"):
        read_versions(f"{origin}/urn-namespaces.xml")


def test_an_unreachable_server_is_reported(tmp_path: object) -> None:
    with a_server({}) as origin:
        pass
    with pytest.raises(CommandError, match="Nothing was changed") as refusal:
        call_command("import_iana", f"{origin}/urn-namespaces.xml")
    assert refusal.value.returncode == 1


def test_a_malformed_download_is_reported_with_the_position() -> None:
    with (
        serving(XML[:-40]) as origin,
        pytest.raises(CommandError, match=r"urn-namespaces\.xml, line 9") as refusal,
    ):
        call_command("import_iana", f"{origin}/urn-namespaces.xml")
    assert refusal.value.returncode == 1


def test_download_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    with serving(XML) as origin:
        read_versions(f"{origin}/urn-namespaces.xml", on_bytes=lambda *count: seen.append(count))
    assert (len(XML), len(XML)) in seen
