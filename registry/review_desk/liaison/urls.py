"""URLs of the liaison's pages below /desk/."""

from django.urls import path

from registry.review_desk.liaison import views

urlpatterns = [
    path("liaison/", views.approval_requests, name="approval_requests"),
    path("bodies/", views.bodies, name="bodies"),
    path("bodies/<int:pk>/", views.body, name="body"),
]
