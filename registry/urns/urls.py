"""URLs of the URN check: /urns/."""

from django.urls import path

from registry.urns import views

app_name = "urns"
urlpatterns = [path("", views.check_urn, name="check")]
