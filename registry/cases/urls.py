"""URLs of cases, of the NID check, and of a person's own page."""

from django.urls import path

from registry.cases.views import actions, detail, drafts, lists

app_name = "cases"
urlpatterns = [
    path("nids/", lists.check, name="nids"),
    path("mine/", lists.mine, name="mine"),
    path("namespaces/<str:nid>/revise/", lists.revise, name="revise"),
    path("cases/", lists.case_list, name="list"),
    path("cases/new/", lists.begin, name="begin"),
    path("cases/unsubscribe/<str:key>/", lists.unsubscribe_by_mail, name="unsubscribe_by_mail"),
    path("cases/<int:pk>/", detail.detail, name="detail"),
    path("cases/<int:pk>/edit/", drafts.edit, name="edit"),
    path("cases/<int:pk>/edit/autosave/", drafts.autosave, name="autosave"),
    path("cases/<int:pk>/preview/", drafts.preview, name="preview"),
    path("cases/<int:pk>/history/", drafts.history, name="history"),
    path("cases/<int:pk>/history/<int:number>/", drafts.version, name="draft_version"),
    path("cases/<int:pk>/paste/", drafts.paste, name="paste"),
    path("cases/<int:pk>/delete/", drafts.delete, name="delete"),
    path("cases/<int:pk>/draft.txt", drafts.draft_text, name="draft"),
    path("cases/<int:pk>/compare/", detail.compare_rounds, name="compare"),
    path("cases/<int:pk>/comment/", detail.comment, name="comment"),
    path("cases/<int:pk>/subscribe/", detail.subscribe, name="subscribe"),
    path("cases/<int:pk>/unsubscribe/", detail.unsubscribe, name="unsubscribe"),
    path("cases/<int:pk>/rounds/<int:number>/template.txt", detail.template_text, name="template"),
    path("cases/<int:pk>/<slug:name>/", actions.perform_action, name="transition"),
]
