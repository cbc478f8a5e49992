"""Makes the form a Django app, so that `manage.py template` exists."""

from django.apps import AppConfig


class RegistrationTemplateConfig(AppConfig):
    name = "registry.registration_template"
    label = "registration_template"
    verbose_name = "Registration template"
