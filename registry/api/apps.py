from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "registry.api"
    label = "api"
