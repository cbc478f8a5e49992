"""URLs of organisations, below /organisations/."""

from django.urls import path

from registry.actions.pages import action_paths
from registry.organisations import views
from registry.organisations.actions import ACTIONS
from registry.organisations.queries import get_organisation

app_name = "organisations"
urlpatterns = [
    path("", views.mine, name="mine"),
    path("new/", views.create, name="create"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/edit/", views.describe, name="describe"),
    path("<int:pk>/members/", views.members, name="members"),
    path("<int:pk>/members/<int:number>/", views.member, name="member"),
    path("<int:pk>/members/<int:number>/end/", views.end, name="end"),
    path("<int:pk>/invitations/<int:number>/", views.invitation, name="invitation"),
    *action_paths("<int:pk>/", ACTIONS, get_organisation),
]
