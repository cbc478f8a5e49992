from django.apps import AppConfig


class SightingsConfig(AppConfig):
    name = "registry.sightings"
    label = "sightings"

    def ready(self) -> None:
        """Register the personal data of the app."""
        from registry.sightings import personal_data

        del personal_data
