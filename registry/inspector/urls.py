"""/urns/: look at one URN."""

from django.urls import path

from registry.inspector import views

app_name = "inspector"
urlpatterns = [path("", views.urn, name="urn")]
