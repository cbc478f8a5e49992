from django.apps import AppConfig


class ReviewDeskConfig(AppConfig):
    name = "registry.review_desk"
    label = "review_desk"

    def ready(self) -> None:
        """Register the personal data of the app."""
        from registry.review_desk import personal_data  # noqa: F401
