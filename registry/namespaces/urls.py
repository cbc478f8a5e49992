"""/namespaces/: the registry as pages."""

from django.urls import path

from registry.namespaces import views, views_changes, views_rules

app_name = "namespaces"
urlpatterns = [
    path("", views.namespaces, name="list"),
    path("<str:nid>/", views.namespace, name="detail"),
    path("<str:nid>/versions/<int:version>/", views.version, name="version"),
    path("<str:nid>/versions/<int:version>/template.txt", views.template_text, name="text"),
    path("<str:nid>/compare/", views.compare, name="compare"),
    path("<str:nid>/deprecate/", views_changes.deprecate, name="deprecate"),
    path("<str:nid>/set-rules/", views_rules.set_rules, name="set_rules"),
    path("<str:nid>/offer-transfer/", views_changes.offer_transfer, name="offer_transfer"),
    path("<str:nid>/transfers/<int:pk>/", views_changes.transfer, name="transfer"),
]
