"""URLs of the account page and the pages below it: /account/."""

from django.urls import path

from registry.accounts import views
from registry.accounts.views import notifications

app_name = "account"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("name/", views.name, name="name"),
    path("addresses/<int:pk>/check/", views.check_address, name="check_address"),
    path("addresses/confirm/<str:token>/", views.confirm_by_link, name="confirm_bounced_address"),
    path("sessions/", views.sessions, name="sessions"),
    path("notifications/", notifications, name="notifications"),
    path("data.json", views.data, name="data"),
    path("close/", views.close, name="close"),
]
