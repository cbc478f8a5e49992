"""The desks of the administrators and of the liaison, below /desk/."""

from django.urls import path

from registry.review_desk import views_decisions
from registry.review_desk.administrators import views
from registry.review_desk.liaison import views_bodies

urlpatterns = [
    path("assignments/", views_decisions.assignments, name="assignments"),
    path("liaison/", views_decisions.approval_requests, name="approval_requests"),
    path("cases/<int:pk>/<slug:name>/", views_decisions.make_transition, name="transition"),
    path("bodies/", views_bodies.bodies, name="bodies"),
    path("bodies/<int:pk>/", views_bodies.body, name="body"),
    path("outbox/", views.outbox, name="outbox"),
    path("outbox/<int:pk>/", views.mail, name="mail"),
    path("imports/", views.imports, name="imports"),
    path("imports/removed/", views.removed_namespaces, name="removed_namespaces"),
    path("imports/<int:number>/", views.import_detail, name="import_detail"),
    path("corrections/", views.corrections, name="corrections"),
    path("corrections/<int:number>/", views.correct, name="correct"),
]
