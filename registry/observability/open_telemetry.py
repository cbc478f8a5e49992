"""The OpenTelemetry library, set up for `tracing`: its packages are those of `requirements-tracing.txt`.

The library's own instrumentation makes the spans. Only the attributes below are sent: addresses of clients, paths, queries
and messages of errors may contain personal data or secrets.
"""

from collections.abc import Sequence

from django.http import HttpRequest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Span, set_tracer_provider

from registry.core.version import version
from registry.observability.logs import request_id

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


class SparingExporter(OTLPSpanExporter):
    """Sends the attributes that contain no personal data, and no events, which contain messages of errors."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return super().export([_without_personal_data(span) for span in spans])


def instrument() -> None:
    """Trace requests and statements from now on."""
    resource = Resource.create({SERVICE_NAME: "urn-registry", SERVICE_VERSION: version()})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(SparingExporter()))
    set_tracer_provider(provider)
    DjangoInstrumentor().instrument(request_hook=_name_request)
    PsycopgInstrumentor().instrument(skip_dep_check=True)


def _name_request(span: Span, request: HttpRequest) -> None:
    span.set_attribute("registry.request_id", request_id.get())


def _without_personal_data(span: ReadableSpan) -> ReadableSpan:
    attributes = {key: value for key, value in (span.attributes or {}).items() if key in SENT_ATTRIBUTES}
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        status=span.status.__class__(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
