"""URLs of the domains of an organisation, below /organisations/."""

from django.urls import path

from registry.domains import views

app_name = "domains"
urlpatterns = [
    path("<int:pk>/domains/", views.domains, name="list"),
    path("<int:pk>/domains/<int:number>/check/", views.check, name="check"),
    path("<int:pk>/domains/<int:number>/remove/", views.remove, name="remove"),
]
