from django.apps import AppConfig


class SightingsConfig(AppConfig):
    name = "registry.sightings"
    label = "sightings"

    def ready(self) -> None:
        """Register the personal data of the app, and what waits in the inbox."""
        from registry.sightings import actions, personal_data

        del actions, personal_data
