"""/namespaces/: the registry as pages."""

from django.urls import path

from registry.namespaces import views

app_name = "namespaces"
urlpatterns = [
    path("", views.namespaces, name="list"),
    path("<str:nid>/", views.namespace, name="detail"),
    path("<str:nid>/versions/<int:version>/", views.version, name="version"),
    path("<str:nid>/versions/<int:version>/template.txt", views.template_text, name="text"),
    path("<str:nid>/compare/", views.compare, name="compare"),
]
