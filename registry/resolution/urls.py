"""URLs of resolution: /resolve/, /uri-res/, and the hosts of a namespace."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from registry.actions.pages import action_paths
from registry.namespaces.views import find_for_action
from registry.resolution import views
from registry.resolution.actions import DECISIONS


class URNConverter(StringConverter):
    """Any text; the view reads it from the request as it is."""

    regex = r"(?s:.+)"


register_converter(URNConverter, "urn_text")

app_name = "resolution"
urlpatterns = [
    path("resolve/", views.resolve_urn, {"urn": ""}, name="without_urn"),
    path("resolve/<urn_text:urn>", views.resolve_urn, name="resolve"),
    path("uri-res/", views.uri_service, {"service": ""}, name="without_service"),
    path("uri-res/<str:service>", views.uri_service, name="uri_service"),
    *action_paths(
        "namespaces/<str:nid>/hosts/<str:host>/",
        DECISIONS,
        find_for_action,
        template="resolution/host.html",
        form_class=views.HostForm,
    ),
]
