"""URLs of the administrators' pages below /desk/."""

from django.urls import path

from registry.review_desk.administrators import (
    views_assignments,
    views_claims,
    views_corrections,
    views_imports,
    views_outbox,
)

urlpatterns = [
    path("assignments/", views_assignments.assignments, name="assignments"),
    path("claims/", views_claims.namespace_claims, name="namespace_claims"),
    path("outbox/", views_outbox.outbox, name="outbox"),
    path("outbox/<int:pk>/", views_outbox.mail, name="mail"),
    path("imports/", views_imports.imports, name="imports"),
    path("imports/removed/", views_imports.removed_namespaces, name="removed_namespaces"),
    path("imports/<int:number>/", views_imports.import_detail, name="import_detail"),
    path("corrections/", views_corrections.corrections, name="corrections"),
    path("corrections/<int:number>/", views_corrections.correct, name="correct"),
]
