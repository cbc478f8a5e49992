from django.apps import AppConfig


class ReviewDeskConfig(AppConfig):
    name = "registry.review_desk"
    label = "review_desk"
