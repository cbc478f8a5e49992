"""URLs of the token pages: /accounts/tokens/ and below."""

from django.urls import path

from registry.accounts import token_views

app_name = "tokens"
urlpatterns = [
    path("", token_views.tokens, name="list"),
    path("make/", token_views.make, name="make"),
    path("<int:pk>/rotate/", token_views.rotate, name="rotate"),
    path("<int:pk>/revoke/", token_views.revoke, name="revoke"),
]
