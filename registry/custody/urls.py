"""URLs of claims, below /namespaces/."""

from django.urls import path

from registry.custody import views

app_name = "custody"
urlpatterns = [
    path("<str:nid>/claim/", views.claim_namespace, name="claim_namespace"),
    path("<str:nid>/claims/<int:pk>/", views.claim, name="claim"),
    path("<str:nid>/claims/<int:pk>/object/<str:token>/", views.object_by_link, name="object_by_link"),
]
