"""/accounts/tokens/: what one's own programs say who they are with."""

from django.urls import path

from registry.accounts.views import tokens

app_name = "tokens"
urlpatterns = [
    path("", tokens.tokens, name="list"),
    path("make/", tokens.make, name="make"),
    path("<int:pk>/revoke/", tokens.revoke, name="revoke"),
]
