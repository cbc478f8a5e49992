from django.apps import AppConfig


class SubNamespacesConfig(AppConfig):
    name = "registry.subnamespaces"
    label = "subnamespaces"

    def ready(self) -> None:
        """Register the personal data of the app, and let new profiles normalize the prefixes again."""
        from registry.subnamespaces import lists, personal_data

        del personal_data
        lists.follow_profiles()
