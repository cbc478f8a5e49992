from django.apps import AppConfig


class PublicationConfig(AppConfig):
    name = "registry.publication"
    label = "publication"
