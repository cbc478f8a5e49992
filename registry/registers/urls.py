"""URLs of registers, below /namespaces/<nid>/register/."""

from django.urls import path

from registry.registers import views

app_name = "registers"
urlpatterns = [
    path("<str:nid>/register/", views.register, name="register"),
    path("<str:nid>/register/versions/", views.versions, name="versions"),
    path("<str:nid>/register/open/", views.open_page, name="open_register"),
    path("<str:nid>/register/change/", views.change, name="change_register"),
    path("<str:nid>/register/fields/", views.declare_fields, name="declare_fields"),
    path("<str:nid>/register/suspend/", views.suspend, name="suspend_register"),
    path("<str:nid>/register/resume/", views.resume, name="resume_register"),
    path("<str:nid>/register/reviewers/", views.reviewers, name="reviewers"),
    path("<str:nid>/register/entries/", views.enter, name="register_entry"),
    path("<str:nid>/register/entries/import/", views.write_list, name="write_entries"),
    path("<str:nid>/register/request/", views.request_page, name="request_entry"),
    path("<str:nid>/register/requests/<int:pk>/", views.entry_request, name="entry_request"),
    path("<str:nid>/register/requests/<int:pk>/accept/", views.accept, name="accept_request"),
    path("<str:nid>/register/requests/<int:pk>/refuse/", views.refuse, name="refuse_request"),
    path("<str:nid>/register/requests/<int:pk>/revise/", views.revise, name="revise_request"),
]
