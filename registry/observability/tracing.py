"""Traces of requests and their statements with OpenTelemetry, if OTEL_EXPORTER_OTLP_ENDPOINT is set."""

from registry.environment import read


def start_tracing() -> None:
    """Trace the requests of this process. Imports nothing if no endpoint is set."""
    if read("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from registry.observability.open_telemetry import instrument

        instrument()
