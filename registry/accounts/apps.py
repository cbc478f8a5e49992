from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"
