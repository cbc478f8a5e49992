"""URLs of the administrators' pages below /desk/."""

from django.urls import path

from registry.review_desk.administrators import views

urlpatterns = [
    path("assignments/", views.assignments, name="assignments"),
    path("claims/", views.namespace_claims, name="namespace_claims"),
    path("outbox/", views.outbox, name="outbox"),
    path("outbox/<int:pk>/", views.mail, name="mail"),
    path("imports/", views.imports, name="imports"),
    path("imports/removed/", views.removed_namespaces, name="removed_namespaces"),
    path("imports/<int:number>/", views.import_detail, name="import_detail"),
    path("corrections/", views.corrections, name="corrections"),
    path("corrections/<int:number>/", views.correct, name="correct"),
]
