from django.apps import AppConfig


class ReviewDeskConfig(AppConfig):
    name = "registry.review_desk"
    label = "review_desk"

    def ready(self) -> None:
        """Register the personal data of the app, and how the cases that wait for an expert are found."""
        from registry.review_desk import personal_data  # noqa: F401
        from registry.review_desk.experts import queue  # noqa: F401
