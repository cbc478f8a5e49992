"""/desk/ and below: where those who hold a role work."""

from django.urls import path

from registry.desk import urls_office, views, views_cases, views_own, views_verdicts

app_name = "desk"
urlpatterns = [
    path("", views.desk, name="desk"),
    path("queue/<slug:name>/", views.group, name="group"),
    path("away/", views_own.away, name="away"),
    path("away/<int:pk>/end/", views_own.back, name="back"),
    path("texts/", views_own.canned_texts, name="canned_texts"),
    path("texts/new/", views_own.canned_text, name="new_canned_text"),
    path("texts/<int:pk>/", views_own.canned_text, name="canned_text"),
    path("texts/<int:pk>/remove/", views_own.remove_canned_text, name="remove_canned_text"),
    path("cases/<int:pk>/", views_cases.review, name="review"),
    path("cases/<int:pk>/take/", views_cases.take, name="take"),
    path("cases/<int:pk>/give-back/", views_cases.give_back, name="give_back"),
    path("cases/<int:pk>/hand-over/", views_cases.hand_over, name="hand_over"),
    path("cases/<int:pk>/comment/", views_cases.comment, name="comment"),
    path("cases/<int:pk>/set-aside/", views_cases.set_aside, name="set_aside"),
    path("cases/<int:pk>/checklist/", views_cases.checklist, name="checklist"),
    path("cases/<int:pk>/verdict/<slug:name>/", views_verdicts.verdict, name="verdict"),
    *urls_office.urlpatterns,
]
