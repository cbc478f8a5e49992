"""URLs of claims and contacts, below /namespaces/."""

from django.urls import path

from registry.custody.views import claims, contact

app_name = "custody"
urlpatterns = [
    path("<str:nid>/claim/", claims.claim_namespace, name="claim_namespace"),
    path("<str:nid>/recover/", claims.recover_organisation, name="recover_organisation"),
    path("<str:nid>/claims/<int:pk>/", claims.claim, name="claim"),
    path("<str:nid>/claims/<int:pk>/object/<str:token>/", claims.object_by_link, name="object_by_link"),
    path("<str:nid>/contact/", contact.change_contact, name="change_contact"),
    path("<str:nid>/contact/confirm/<str:token>/", contact.confirm_by_link, name="confirm_by_link"),
]
