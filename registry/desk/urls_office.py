"""The desks of the administrators and of the liaison, below /desk/."""

from django.urls import path

from registry.desk import views_bodies, views_office, views_registry

urlpatterns = [
    path("assignments/", views_office.assignments, name="assignments"),
    path("liaison/", views_office.liaison, name="liaison"),
    path("cases/<int:pk>/<slug:name>/", views_office.make_move, name="move"),
    path("bodies/", views_bodies.bodies, name="bodies"),
    path("bodies/<int:pk>/", views_bodies.body, name="body"),
    path("outbox/", views_registry.outbox, name="outbox"),
    path("outbox/<int:pk>/", views_registry.mail, name="mail"),
    path("imports/", views_registry.imports, name="imports"),
    path("imports/vanished/", views_registry.vanished, name="vanished"),
    path("imports/<int:number>/", views_registry.one_import, name="import"),
    path("corrections/", views_registry.corrections, name="corrections"),
    path("corrections/<int:number>/", views_registry.correct, name="correct"),
]
