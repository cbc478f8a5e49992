"""URLs of the account page and the pages below it: /account/."""

from django.urls import path

from registry.accounts.notifications.views import notifications
from registry.accounts.views import bounced_addresses, overview

app_name = "account"
urlpatterns = [
    path("", overview.overview, name="overview"),
    path("name/", overview.name, name="name"),
    path("addresses/<int:pk>/check/", bounced_addresses.check_address, name="check_address"),
    path("addresses/confirm/<str:token>/", bounced_addresses.confirm_by_link, name="confirm_bounced_address"),
    path("sessions/", overview.sessions, name="sessions"),
    path("notifications/", notifications, name="notifications"),
    path("data.json", overview.data, name="data"),
    path("close/", overview.close, name="close"),
]
