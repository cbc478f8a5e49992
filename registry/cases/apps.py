from django.apps import AppConfig


class CasesConfig(AppConfig):
    name = "registry.cases"
    label = "cases"
