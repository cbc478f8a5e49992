"""Every address of the registry. A view is closed unless it says @login_not_required."""

from django.urls import include, path

from registry.accounts.views_time_zone import time_zone
from registry.api.entrance import AnythingElse
from registry.desk.tables import tables
from registry.home import guide, home
from registry.metrics import metrics

handler404 = "registry.unsent.not_found"
urlpatterns = [
    path("", home, name="home"),
    path("", include("registry.publication.urls")),
    path("guide/", guide, name="guide"),
    path("namespaces/", include("registry.namespaces.urls")),
    path("", include("registry.registrations.urls")),
    path("desk/", include("registry.desk.urls")),
    path("people/", include("registry.accounts.urls")),
    path("urns/", include("registry.inspector.urls")),
    path("figures/", include("registry.figures.urls")),
    path("api/", include("registry.api.urls")),
    path("api", AnythingElse.as_view(), name="api"),
    path("admin/", tables.urls),
    path("metrics", metrics, name="metrics"),
    path("accounts/tokens/", include("registry.accounts.urls_tokens")),
    path("accounts/time-zone/", time_zone, name="time_zone"),
    path("accounts/", include("allauth.account.urls")),
]
