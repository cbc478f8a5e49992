"""URLs of sightings: /sightings/."""

from django.urls import path

from registry.sightings import views

app_name = "sightings"
urlpatterns = [
    path("", views.sightings, name="list"),
    path("new/", views.report, name="report"),
    path("<int:pk>/", views.sighting, name="detail"),
]
