from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "registry.core"
    label = "core"

    def ready(self) -> None:
        """Register lookups and deployment checks."""
        from registry.core import deployment_checks  # noqa: F401  # register themselves
        from registry.core.database import lookups  # noqa: F401  # registers them
