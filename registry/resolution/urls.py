"""URLs of resolution: /resolve/, /uri-res/, and the hosts of a namespace."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from registry.resolution.views import hosts, resolve


class URNConverter(StringConverter):
    """Any text; the view reads it from the request as it is."""

    regex = r"(?s:.+)"


register_converter(URNConverter, "urn_text")

app_name = "resolution"
urlpatterns = [
    path("resolve/", resolve.resolve_urn, {"urn": ""}, name="without_urn"),
    path("resolve/<urn_text:urn>", resolve.resolve_urn, name="resolve"),
    path("uri-res/", resolve.uri_service, {"service": ""}, name="without_service"),
    path("uri-res/<str:service>", resolve.uri_service, name="uri_service"),
    path("namespaces/<str:nid>/hosts/<str:host>/confirm/", hosts.confirm, name="confirm_host"),
    path("namespaces/<str:nid>/hosts/<str:host>/withdraw/", hosts.withdraw, name="withdraw_host"),
]
