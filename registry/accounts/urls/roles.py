"""URLs of the pages about people and roles: /people/ and below."""

from django.urls import path

from registry.accounts.views import roles

app_name = "people"
urlpatterns = [
    path("", roles.people, name="list"),
    path("grant-role/", roles.grant_role, name="grant_role"),
    path("<int:pk>/withdraw-role/<str:name>/", roles.withdraw_role, name="withdraw_role"),
]
