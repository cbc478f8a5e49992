"""URLs of the pages of webhooks: /accounts/webhooks/ and below."""

from django.urls import path

from registry.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.webhooks, name="list"),
    path("register/", views.register, name="register"),
    path("<int:pk>/", views.webhook, name="detail"),
    path("<int:pk>/change/", views.change, name="change"),
    path("<int:pk>/secret/", views.rotate, name="rotate"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
