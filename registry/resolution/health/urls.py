"""URLs of the health of services: /services/."""

from django.urls import path

from registry.resolution.health import views

app_name = "services"
urlpatterns = [path("", views.services, name="list")]
