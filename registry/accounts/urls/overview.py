"""URLs of the account page and the pages below it: /account/."""

from django.urls import path

from registry.accounts.views import overview

app_name = "account"
urlpatterns = [
    path("", overview.overview, name="overview"),
    path("name/", overview.name, name="name"),
    path("sessions/", overview.sessions, name="sessions"),
    path("data.json", overview.data, name="data"),
    path("close/", overview.close, name="close"),
]
