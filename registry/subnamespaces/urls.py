"""URLs of sub-namespaces, below /namespaces/<nid>/."""

from django.urls import path

from registry.subnamespaces import views

app_name = "subnamespaces"
urlpatterns = [
    path("<str:nid>/subnamespaces/", views.subnamespaces, name="list"),
    path("<str:nid>/subnamespaces/versions/<int:version>/proof/", views.proof, name="proof"),
    path("<str:nid>/subnamespaces/import/", views.import_list, name="import"),
]
