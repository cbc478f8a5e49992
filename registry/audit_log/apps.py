from django.apps import AppConfig


class AuditLogConfig(AppConfig):
    name = "registry.audit_log"
    label = "audit_log"
