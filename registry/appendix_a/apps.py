"""Makes the form a Django app, so that `manage.py template` exists."""

from django.apps import AppConfig


class AppendixAConfig(AppConfig):
    name = "registry.appendix_a"
    label = "appendix_a"
    verbose_name = "Registration template"
