"""/urns/: look at one URN."""

from django.urls import path

from registry.urns import views

app_name = "urns"
urlpatterns = [path("", views.check_urn, name="check")]
