"""The addresses of cases, and of the page that gathers what waits for a person."""

from django.urls import path

from registry.registrations import views, views_drafts, views_lists, views_moves, views_nids

app_name = "registrations"
urlpatterns = [
    path("nids/", views_nids.check, name="nids"),
    path("mine/", views_lists.mine, name="mine"),
    path("namespaces/<str:nid>/revise/", views_drafts.revise, name="revise"),
    path("registrations/", views_lists.case_list, name="list"),
    path("registrations/new/", views_drafts.begin, name="begin"),
    path("registrations/<int:pk>/", views.detail, name="detail"),
    path("registrations/<int:pk>/edit/", views_drafts.edit, name="edit"),
    path("registrations/<int:pk>/edit/autosave/", views_drafts.autosave, name="autosave"),
    path("registrations/<int:pk>/preview/", views_drafts.preview, name="preview"),
    path("registrations/<int:pk>/paste/", views_drafts.paste, name="paste"),
    path("registrations/<int:pk>/draft.txt", views_drafts.draft_text, name="draft"),
    path("registrations/<int:pk>/compare/", views.compare_rounds, name="compare"),
    path("registrations/<int:pk>/comment/", views.comment, name="comment"),
    path("registrations/<int:pk>/watch/", views.watch, name="watch"),
    path("registrations/<int:pk>/stop-watching/", views.stop_watching, name="stop_watching"),
    path("registrations/<int:pk>/rounds/<int:number>/template.txt", views.template_text, name="template"),
    path("registrations/<int:pk>/<slug:name>/", views_moves.make_move, name="move"),
]
