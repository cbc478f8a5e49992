from django.apps import AppConfig


class SubNamespacesConfig(AppConfig):
    name = "registry.subnamespaces"
    label = "subnamespaces"

    def ready(self) -> None:
        """Let new profiles normalize the prefixes again."""
        from registry.subnamespaces import lists

        lists.follow_profiles()
