from django.apps import AppConfig


class NamespacesConfig(AppConfig):
    name = "registry.namespaces"
    label = "namespaces"
