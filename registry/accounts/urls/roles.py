"""URLs of the pages about people and roles: /people/ and below."""

from django.urls import path

from registry.accounts import role_views

app_name = "people"
urlpatterns = [
    path("", role_views.people, name="list"),
    path("grant-role/", role_views.grant_role, name="grant_role"),
    path("<int:pk>/withdraw-role/<str:name>/", role_views.withdraw_role, name="withdraw_role"),
]
