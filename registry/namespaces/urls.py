"""URLs below /namespaces/."""

from django.urls import path

from registry.actions.pages import action_paths
from registry.namespaces import views

app_name = "namespaces"
urlpatterns = [
    path("", views.namespaces, name="list"),
    path("<str:nid>/", views.namespace, name="detail"),
    path("<str:nid>/versions/<int:version>/", views.version, name="version"),
    path("<str:nid>/versions/<int:version>/template.txt", views.template_text, name="text"),
    path("<str:nid>/versions/<int:version>/proof/", views.version_proof, name="version_proof"),
    path("<str:nid>/compare/", views.compare, name="compare"),
    path("<str:nid>/profile/", views.profile, name="profile"),
    path("<str:nid>/profile/compare/", views.compare_versions, name="compare_profiles"),
    path("<str:nid>/profile/versions/<int:version>/", views.profile_version, name="profile_version"),
    path("<str:nid>/profile/versions/<int:version>/proof/", views.profile_proof, name="profile_proof"),
    path("<str:nid>/profile/edit/", views.edit_profile, name="edit_profile"),
    path("<str:nid>/transfers/<int:pk>/", views.transfer, name="transfer"),
    *action_paths(
        "<str:nid>/",
        views.ACTIONS,
        views.find_for_action,
        template="namespaces/change.html",
    ),
]
