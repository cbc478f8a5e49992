"""URLs of the domains of an organisation, below /organisations/."""

from django.urls import path

from registry.actions.pages import action_paths
from registry.domains import views
from registry.domains.actions import ACTIONS
from registry.domains.subjects import get_domain

app_name = "domains"
urlpatterns = [
    path("<int:pk>/domains/", views.domains, name="list"),
    *action_paths("<int:pk>/domains/<int:number>/", ACTIONS, get_domain),
]
