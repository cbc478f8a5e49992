from django.apps import AppConfig


class DevServerConfig(AppConfig):
    name = "registry.devserver"
    label = "devserver"
