"""Traces with OpenTelemetry: what a collector receives, and what it does not."""

import gzip
import http.client
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from registry.accounts.models import User
from registry.observability.open_telemetry import SENT_ATTRIBUTES
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

IMPORTED = """
import registry.wsgi, sys
sys.exit(any(name.partition(".")[0] == "opentelemetry" for name in sys.modules))
"""


class Collector:
    """An OTLP receiver on loopback."""

    def __init__(self) -> None:
        self.received: list[ExportTraceServiceRequest] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.received.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                """Discard the log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def spans(self) -> list[Any]:
        several = (span for each in list(self.received) for span in each.resource_spans)
        return [span for each in several for scope in each.scope_spans for span in scope.spans]

    def request(self, name: str) -> Any:
        return next((span for span in self.spans if span.name == name), None)


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    thread = Thread(target=collector.server.serve_forever, daemon=True)
    thread.start()
    yield collector
    collector.server.shutdown()
    thread.join(60)
    collector.server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.int_value or each.value.string_value for each in span.attributes}


@pytest.mark.exhaustive
@pytest.mark.processes
def test_a_request_and_its_statements_are_traced_without_personal_data(
    demonstration_database: None, collector: Collector
) -> None:
    port = a_free_port()
    endpoint = f"http://127.0.0.1:{collector.server.server_port}"
    with serving(port, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_BSP_SCHEDULE_DELAY="50"):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        hidden = {
            "X-Request-ID": "an-id",
            "User-Agent": "secret-agent",
            "Referer": "http://secret.example.org/",
        }
        client.request("GET", "/namespaces/secret-nid/?q=secret-query", headers=hidden)
        assert client.getresponse().status == 404
        client.close()
        wait_until(
            lambda: any(attributes(each).get("registry.request_id") == "an-id" for each in collector.spans)
        )
        wait_until(lambda: any(each.parent_span_id for each in collector.spans))
    request = next(each for each in collector.spans if attributes(each).get("registry.request_id") == "an-id")
    assert attributes(request)["http.method"] == "GET"
    assert attributes(request)["http.status_code"] == 404
    statements = [each for each in collector.spans if each.parent_span_id == request.span_id]
    assert any("namespaces_namespace" in attributes(each).get("db.statement", "") for each in statements)
    assert {key for each in collector.spans for key in attributes(each)} <= SENT_ATTRIBUTES
    assert not any(each.events for each in collector.spans)
    sent = b"".join(each.SerializeToString() for each in collector.received)
    assert b"secret" not in sent.replace(b"secret_", b"")  # a column
    assert not any(each.encode() in sent for each in User.objects.values_list("email", flat=True))


@pytest.mark.exhaustive
@pytest.mark.processes
def test_nothing_is_imported_without_an_endpoint() -> None:
    subprocess.run([sys.executable, "-c", IMPORTED], cwd=settings.BASE_DIR, check=True, timeout=240)
