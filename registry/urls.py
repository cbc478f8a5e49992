"""The URLs of the registry. A view requires signing in unless it is marked with @login_not_required."""

from django.urls import include, path

from registry.accounts.inbox_views import inbox
from registry.accounts.views import time_zone
from registry.api.documentation.urls import to_quick_start
from registry.api.documentation.views import api_catalog, openapi
from registry.devserver.mailbox import mailbox
from registry.namespaces.views import move_namespaces
from registry.observability.health import live, ready
from registry.observability.metrics import metrics
from registry.review_desk.admin import admin_site
from registry.urns.views import check_name
from registry.views import guide, home, urn_scheme
from registry.well_known import change_password, security_txt

handler400 = "registry.core.http.request_limits.bad_request"
handler404 = "registry.core.form_views.not_found"
handler500 = "registry.core.http.middleware.server_error"
# For django-allauth; Django has no such handler.
handler429 = "registry.core.form_views.too_many_requests"
urlpatterns = [
    path("", home, name="home"),
    path("", include("registry.publication.urls")),
    path("guide/", guide, name="guide"),
    path("about/urn-scheme/", urn_scheme, name="urn_scheme"),
    path("namespaces/", include("registry.namespaces.urls")),
    path("namespaces/", include("registry.custody.urls")),
    path("namespaces/", include("registry.subnamespaces.urls")),
    path("namespaces/", include("registry.registers.urls")),
    path("namespaces/<str:nid>/check/", check_name, name="check_name"),
    path("organisations/", include("registry.domains.urls")),
    path("organisations/", include("registry.organisations.urls")),
    path("organisations/<int:pk>/namespaces/", move_namespaces, name="move_namespaces"),
    path("", include("registry.cases.urls")),
    path("sightings/", include("registry.sightings.urls")),
    path("inbox/", inbox, name="inbox"),
    path("desk/", include("registry.review_desk.urls")),
    path("people/", include("registry.accounts.urls.roles")),
    path("audit-log/", include("registry.audit_log.urls")),
    path("urns/", include("registry.urns.urls")),
    path("", include("registry.resolution.urls")),
    path("services/", include("registry.resolution.health.urls")),
    path("statistics/", include("registry.statistics.urls")),
    path("api/", include("registry.api.documentation.urls")),
    path("api/", include("registry.api.urls")),
    path("api", to_quick_start, name="api"),
    path("openapi.json", openapi, {"suffix": "json"}, name="openapi"),
    path("openapi.yaml", openapi, {"suffix": "yaml"}, name="openapi_yaml"),
    path("admin/", admin_site.urls),
    path("metrics", metrics, name="metrics"),
    path("health", ready, name="health"),
    path("health/live", live, name="health_live"),
    path("health/ready", ready, name="health_ready"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path(".well-known/api-catalog", api_catalog, name="api_catalog"),
    path(".well-known/change-password", change_password, name="change_password"),
    path("account/", include("registry.accounts.urls.overview")),
    path("accounts/tokens/", include("registry.accounts.urls.tokens")),
    path("accounts/webhooks/", include("registry.webhooks.urls")),
    path("accounts/time-zone/", time_zone, name="time_zone"),
    path("accounts/", include("registry.accounts.urls.external_sign_in")),
    path("accounts/2fa/", include("registry.accounts.urls.second_factors")),
    path("accounts/", include("registry.accounts.urls.account")),
    path("demo/mailbox/", mailbox, name="mailbox"),
]
