"""URLs of registers: that of a namespace is at /namespaces/<nid>/register/, and one below an entry at
/namespaces/<nid>/entries/<entry>/register/. Entries have numbers there, because their prefixes can contain slashes.
"""

from django.urls import URLPattern, path

from registry.registers import entry_views, views

app_name = "registers"
ENTRY = "<str:nid>/entries/<int:entry>/"


def _of_register(route: str) -> list[URLPattern]:
    """The addresses of a register and of its requests."""
    return [
        path(f"{route}register/", views.register, name="register"),
        path(f"{route}register/versions/", views.versions, name="versions"),
        path(f"{route}register/change/", views.change, name="change_register"),
        path(f"{route}register/fields/", views.declare_fields, name="declare_fields"),
        path(f"{route}register/suspend/", views.suspend, name="suspend_register"),
        path(f"{route}register/resume/", views.resume, name="resume_register"),
        path(f"{route}register/reviewers/", views.reviewers, name="reviewers"),
        path(f"{route}register/entries/", views.enter, name="register_entry"),
        path(f"{route}register/entries/import/", views.write_list, name="write_entries"),
        path(f"{route}register/check/", views.check_label_page, name="check_label"),
        path(f"{route}register/request/", views.request_page, name="request_entry"),
        path(f"{route}register/requests/<int:pk>/", views.entry_request, name="entry_request"),
        path(f"{route}register/requests/<int:pk>/accept/", views.accept, name="accept_request"),
        path(f"{route}register/requests/<int:pk>/refuse/", views.refuse, name="refuse_request"),
        path(f"{route}register/requests/<int:pk>/revise/", views.revise, name="revise_request"),
        path(
            f"{route}register/requests/<int:pk>/revise-change/",
            views.revise_change,
            name="revise_change",
        ),
    ]


urlpatterns = [
    *_of_register("<str:nid>/"),
    path("<str:nid>/register/open/", views.open_page, name="open_register"),
    path(ENTRY, entry_views.entry, name="entry"),
    path(f"{ENTRY}change/", entry_views.change, name="change_entry"),
    path(f"{ENTRY}recall/", entry_views.recall, name="recall_entry"),
    path(f"{ENTRY}keep/", entry_views.keep, name="keep_entry"),
    path(f"{ENTRY}offer/", entry_views.offer, name="offer_entry"),
    path(f"{ENTRY}offers/<int:pk>/", entry_views.entry_offer, name="entry_offer"),
    path(f"{ENTRY}open/", entry_views.open_page, name="open_branch"),
    *_of_register(ENTRY),
]
