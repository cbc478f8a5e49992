from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "registry.mail"
    label = "mail"
