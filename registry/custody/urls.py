"""URLs of claims and contacts, below /namespaces/."""

from django.urls import path

from registry.custody import views

app_name = "custody"
urlpatterns = [
    path("<str:nid>/claim/", views.claim_namespace, name="claim_namespace"),
    path("<str:nid>/recover/", views.recover_organisation, name="recover_organisation"),
    path("<str:nid>/claims/<int:pk>/", views.claim, name="claim"),
    path("<str:nid>/claims/<int:pk>/object/<str:token>/", views.object_by_link, name="object_by_link"),
    path("<str:nid>/contact/", views.change_contact, name="change_contact"),
    path("<str:nid>/contact/confirm/<str:token>/", views.confirm_by_link, name="confirm_by_link"),
]
