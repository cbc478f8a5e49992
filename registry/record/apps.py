from django.apps import AppConfig


class RecordConfig(AppConfig):
    name = "registry.record"
    label = "record"
