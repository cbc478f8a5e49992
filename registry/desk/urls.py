"""/desk/ and below: where those who hold a role work."""

from django.urls import path

from registry.desk import urls_office, views

app_name = "desk"
urlpatterns = [
    path("", views.desk, name="desk"),
    *urls_office.urlpatterns,
]
