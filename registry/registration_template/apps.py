"""The app configuration. The app has no models; it provides `manage.py template`."""

from django.apps import AppConfig


class RegistrationTemplateConfig(AppConfig):
    name = "registry.registration_template"
    label = "registration_template"
    verbose_name = "Registration template"
