from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "registry.core"
    label = "core"

    def ready(self) -> None:
        from registry.core.database import lookups  # noqa: F401  # registers them
