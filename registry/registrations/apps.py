from django.apps import AppConfig


class RegistrationsConfig(AppConfig):
    name = "registry.registrations"
    label = "registrations"
