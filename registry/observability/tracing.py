"""Traces of requests and their statements with OpenTelemetry, if OTEL_EXPORTER_OTLP_ENDPOINT is set.

The library's own instrumentation makes the spans. Only the attributes below are sent: addresses of clients, paths, queries
and messages of errors may contain personal data or secrets.
"""

from registry.environment import read

# Of requests: the route, not the path. Of statements: the text with placeholders, never the parameters.
SENT_ATTRIBUTES = frozenset(
    {
        "http.method",
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "http.status_code",
        "db.name",
        "db.namespace",
        "db.query.text",
        "db.statement",
        "db.system",
        "db.system.name",
        "registry.request_id",
    }
)


def start_tracing() -> None:
    """Trace the requests of this process. Imports nothing if no endpoint is set."""
    if read("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from registry.observability.open_telemetry import instrument

        instrument()
