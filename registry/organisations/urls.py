"""URLs of organisations, below /organisations/."""

from django.urls import path

from registry.organisations.views import members, organisations

app_name = "organisations"
urlpatterns = [
    path("", organisations.mine, name="mine"),
    path("new/", organisations.create, name="create"),
    path("<int:pk>/", organisations.detail, name="detail"),
    path("<int:pk>/edit/", organisations.describe, name="describe"),
    path("<int:pk>/members/", members.members, name="members"),
    path("<int:pk>/members/<int:number>/", members.member, name="member"),
    path("<int:pk>/members/<int:number>/end/", members.end, name="end"),
    path("<int:pk>/invitations/<int:number>/", members.invitation, name="invitation"),
]
