"""URLs below /namespaces/."""

from django.urls import path

from registry.namespaces.views import changes, namespaces, rules

app_name = "namespaces"
urlpatterns = [
    path("", namespaces.namespaces, name="list"),
    path("<str:nid>/", namespaces.namespace, name="detail"),
    path("<str:nid>/versions/<int:version>/", namespaces.version, name="version"),
    path("<str:nid>/versions/<int:version>/template.txt", namespaces.template_text, name="text"),
    path("<str:nid>/compare/", namespaces.compare, name="compare"),
    path("<str:nid>/deprecate/", changes.deprecate, name="deprecate"),
    path("<str:nid>/set-rules/", rules.set_rules, name="set_rules"),
    path("<str:nid>/offer-transfer/", changes.offer_transfer, name="offer_transfer"),
    path("<str:nid>/transfers/<int:pk>/", changes.transfer, name="transfer"),
]
