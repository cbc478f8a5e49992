"""URLs of the token pages: /accounts/tokens/ and below."""

from django.urls import path

from registry.accounts.views import tokens

app_name = "tokens"
urlpatterns = [
    path("", tokens.tokens, name="list"),
    path("make/", tokens.make, name="make"),
    path("<int:pk>/rotate/", tokens.rotate, name="rotate"),
    path("<int:pk>/revoke/", tokens.revoke, name="revoke"),
]
