"""The desks of the administrators and of the liaison, below /desk/."""

from django.urls import path

from registry.desk import views_office

urlpatterns = [
    path("assignments/", views_office.assignments, name="assignments"),
    path("liaison/", views_office.liaison, name="liaison"),
    path("cases/<int:pk>/<slug:name>/", views_office.make_move, name="move"),
]
