"""URLs of the API documentation. They come before those of the API, which answers everything below /api/."""

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from registry.api.documentation import views

to_quick_start = login_not_required(
    require_safe(RedirectView.as_view(pattern_name="documentation:start", permanent=True))
)

app_name = "documentation"
urlpatterns = [
    path("", views.start, name="start"),
    path("docs/", to_quick_start, name="docs"),
    path("guides/<slug:slug>/", views.guide, name="guide"),
    path("reference/", views.reference, name="reference"),
    path("reference/<slug:tag>/", views.group, name="group"),
    path("problems/", views.problems, name="problems"),
    path("problems/<str:slug>/", views.problem, name="problem"),
]
