"""Every address of the registry. A view is closed unless it says @login_not_required."""

from django.urls import include, path

from registry.home import guide, home

urlpatterns = [
    path("", home, name="home"),
    path("guide/", guide, name="guide"),
    path("namespaces/", include("registry.namespaces.urls")),
    path("", include("registry.registrations.urls")),
    path("people/", include("registry.accounts.urls")),
    path("urns/", include("registry.inspector.urls")),
    path("api/", include("registry.api.urls")),
    path("accounts/", include("allauth.account.urls")),
]
