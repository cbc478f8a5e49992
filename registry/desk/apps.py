from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "registry.desk"
    label = "desk"
