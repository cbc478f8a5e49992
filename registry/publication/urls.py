"""URLs of the registry's files and feeds."""

from django.urls import path

from registry.publication import views

app_name = "publication"
urlpatterns = [
    path("registry/", views.files, name="files"),
    path("registry/urn-namespaces.xsl", views.style_sheet, name="style_sheet"),
    path("registry/<str:file>", views.file, name="file"),
    path("namespaces/feed.atom", views.feed, name="feed"),
    path("namespaces/<str:nid>/feed.atom", views.namespace_feed, name="namespace_feed"),
]
