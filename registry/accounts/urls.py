"""/people/: who holds which role."""

from django.urls import path

from registry.accounts import views

app_name = "people"
urlpatterns = [
    path("", views.people, name="list"),
    path("grant-role/", views.grant_role, name="grant_role"),
    path("<int:pk>/withdraw-role/<str:name>/", views.withdraw_role, name="withdraw_role"),
]
