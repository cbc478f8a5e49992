"""URLs of the pages about the audit log."""

from django.urls import path

from registry.audit_log import views

app_name = "audit_log"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("checkpoint.txt", views.checkpoint, name="checkpoint"),
]
