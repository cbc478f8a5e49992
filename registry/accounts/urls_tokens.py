"""/accounts/tokens/: what one's own programs say who they are with."""

from django.urls import path

from registry.accounts import views_tokens

app_name = "tokens"
urlpatterns = [
    path("", views_tokens.tokens, name="list"),
    path("make/", views_tokens.make, name="make"),
    path("<int:pk>/revoke/", views_tokens.revoke, name="revoke"),
]
