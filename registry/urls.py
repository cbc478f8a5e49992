"""Every address of the registry. A view is closed unless it says @login_not_required."""

from django.urls import include, path, re_path

from registry.api.entrance import AnythingElse
from registry.home import home

urlpatterns = [
    path("", home, name="home"),
    path("namespaces/", include("registry.namespaces.urls")),
    path("", include("registry.registrations.urls")),
    path("urns/", include("registry.inspector.urls")),
    path("api/v1/", include("registry.api.urls")),
    re_path("^api/", AnythingElse.as_view()),
    path("accounts/", include("allauth.account.urls")),
]
