"""URLs below /namespaces/."""

from django.urls import path

from registry.namespaces.views import changes, names, namespaces, profiles

app_name = "namespaces"
urlpatterns = [
    path("", namespaces.namespaces, name="list"),
    path("<str:nid>/", namespaces.namespace, name="detail"),
    path("<str:nid>/versions/<int:version>/", namespaces.version, name="version"),
    path("<str:nid>/versions/<int:version>/template.txt", namespaces.template_text, name="text"),
    path("<str:nid>/compare/", namespaces.compare, name="compare"),
    path("<str:nid>/check/", names.check_name, name="check_name"),
    path("<str:nid>/deprecate/", changes.deprecate, name="deprecate"),
    path("<str:nid>/profile/", profiles.profile, name="profile"),
    path("<str:nid>/profile/compare/", profiles.compare_versions, name="compare_profiles"),
    path("<str:nid>/profile/versions/<int:version>/", profiles.profile_version, name="profile_version"),
    path("<str:nid>/profile/edit/", profiles.edit_profile, name="edit_profile"),
    path("<str:nid>/offer-transfer/", changes.offer_transfer, name="offer_transfer"),
    path("<str:nid>/transfers/<int:pk>/", changes.transfer, name="transfer"),
]
