"""URLs of the review desk: /desk/ and below."""

from django.urls import include, path

from registry.review_desk import staff_notes, views

app_name = "review_desk"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("queue/<slug:name>/", views.queue_group, name="queue_group"),
    path("cases/<int:pk>/notes/", staff_notes.staff_notes, name="staff_notes"),
    path("", include("registry.review_desk.experts.urls")),
    path("", include("registry.review_desk.administrators.urls")),
    path("", include("registry.review_desk.liaison.urls")),
    path("cases/<int:pk>/<slug:name>/", views.perform_transition, name="transition"),
]
