"""URLs of the experts' pages below /desk/."""

from django.urls import path

from registry.review_desk.experts import views, views_review, views_verdicts

urlpatterns = [
    path("absences/", views.absences, name="absences"),
    path("absences/<int:pk>/end/", views.end_absence, name="end_absence"),
    path("texts/", views.canned_texts, name="canned_texts"),
    path("texts/new/", views.new_canned_text, name="new_canned_text"),
    path("texts/<int:pk>/", views.canned_text, name="canned_text"),
    path("texts/<int:pk>/remove/", views.remove_canned_text, name="remove_canned_text"),
    path("cases/<int:pk>/", views_review.review, name="review"),
    path("cases/<int:pk>/claim/", views_review.take, name="take"),
    path("cases/<int:pk>/release/", views_review.release, name="release"),
    path("cases/<int:pk>/hand-over/", views_review.hand_over, name="hand_over"),
    path("cases/<int:pk>/comment/", views_review.comment, name="comment"),
    path("cases/<int:pk>/add-point/", views.add_point, name="add_point"),
    path("cases/<int:pk>/dismiss-finding/", views_review.dismiss_finding, name="dismiss_finding"),
    path("cases/<int:pk>/checklist/", views.checklist, name="checklist"),
    path("cases/<int:pk>/verdict/<slug:name>/", views_verdicts.verdict, name="verdict"),
]
