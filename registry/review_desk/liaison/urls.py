"""URLs of the liaison's pages below /desk/."""

from django.urls import path

from registry.review_desk.liaison import views_approval_requests, views_bodies

urlpatterns = [
    path("liaison/", views_approval_requests.approval_requests, name="approval_requests"),
    path("bodies/", views_bodies.bodies, name="bodies"),
    path("bodies/<int:pk>/", views_bodies.body, name="body"),
]
