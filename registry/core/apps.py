from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "registry.core"
    label = "core"
