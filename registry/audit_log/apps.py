from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AuditLogConfig(AppConfig):
    name = "registry.audit_log"
    label = "audit_log"

    def ready(self) -> None:
        """Register the checks. Grant privileges and note the schema after each `migrate`, when all tables exist."""
        from registry.audit_log import checks as head_checks  # noqa: F401 - register themselves
        from registry.audit_log import signing_keys  # noqa: F401 - registers itself
        from registry.audit_log.privileges import grant_privileges
        from registry.audit_log.restore import note_objects

        post_migrate.connect(grant_privileges, sender=self)
        post_migrate.connect(note_objects, sender=self)
