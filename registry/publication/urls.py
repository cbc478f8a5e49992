"""URLs of the registry's files and feeds."""

from django.urls import path, re_path

from registry.publication import views

app_name = "publication"
BELOW = "namespaces/<str:nid>/entries/<int:entry>/register/"  # of a register below an entry
urlpatterns = [
    path("registry/", views.files, name="files"),
    path("registry/urn-namespaces.xsl", views.style_sheet, name="style_sheet"),
    path("registry/urn-namespaces.rng", views.schema, name="schema"),
    path("registry/register.rng", views.register_schema, name="register_schema"),
    path("registry/<str:file>", views.file, name="file"),
    path("sitemap.xml", views.sitemap, name="sitemap"),
    path("sitemap-pages.xml", views.sitemap_pages, name="sitemap_pages"),
    path("sitemap-namespaces.xml", views.sitemap_namespaces, name="sitemap_namespaces"),
    path("sitemap-namespaces-<str:nid>.xml", views.sitemap_namespaces, name="sitemap_after"),
    path("robots.txt", views.robots, name="robots"),
    path("namespaces/feed.atom", views.feed, name="feed"),
    path("namespaces/<str:nid>/feed.atom", views.namespace_feed, name="namespace_feed"),
    path("namespaces/<str:nid>/register/files/<str:file>", views.register_file, name="register_file"),
    path(f"{BELOW}files/<str:file>", views.register_file, name="register_file"),
    path(f"{BELOW}feed.atom", views.register_feed, name="register_feed"),
    re_path(
        r"^namespaces/(?P<nid>[^/]+)/subnamespaces/(?P<file>[^/]+\.[^/]+)$",
        views.subnamespaces,
        name="subnamespaces",
    ),
]
