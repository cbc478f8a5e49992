"""Every address of the registry. A view is closed unless it says @login_not_required."""

from django.urls import include, path

from registry.accounts.views.time_zone import time_zone
from registry.api.root.views import NotFoundView
from registry.observability.metrics import metrics
from registry.review_desk.admin import admin_site
from registry.views import guide, home

handler404 = "registry.core.form_recovery.not_found"
urlpatterns = [
    path("", home, name="home"),
    path("", include("registry.publication.urls")),
    path("guide/", guide, name="guide"),
    path("namespaces/", include("registry.namespaces.urls")),
    path("", include("registry.cases.urls")),
    path("desk/", include("registry.review_desk.urls")),
    path("people/", include("registry.accounts.urls.roles")),
    path("urns/", include("registry.urns.urls")),
    path("statistics/", include("registry.statistics.urls")),
    path("api/", include("registry.api.urls")),
    path("api", NotFoundView.as_view(), name="api"),
    path("admin/", admin_site.urls),
    path("metrics", metrics, name="metrics"),
    path("accounts/tokens/", include("registry.accounts.urls.tokens")),
    path("accounts/time-zone/", time_zone, name="time_zone"),
    path("accounts/", include("allauth.account.urls")),
]
