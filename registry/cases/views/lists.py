"""Pages of lists of cases, the check of a NID, the start of a case, and the end of a subscription."""

import csv
import re
from collections.abc import Iterable
from datetime import UTC
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.cases import next_steps
from registry.cases.audiences import subscribed_by, unsubscribe
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import differences_from_request
from registry.cases.forms.cases import CaseFilter, NewCaseForm
from registry.cases.inbox import desks_of, drafts_of, waiting_for_registrant
from registry.cases.models import Case, CaseQuerySet, Procedure, State, known_bodies
from registry.cases.nid_report import report_in_registry
from registry.cases.views.drafts import store_parse_notes
from registry.core.exceptions import NotPermitted
from registry.core.form_views import form_page, get_or_post, lead_to, posted, process_form
from registry.core.http.middleware import render_page_or_partial
from registry.core.http.request_limits import accepts_body
from registry.core.pagination import Keyset
from registry.core.validators import BodySize
from registry.custody.queries import claim_tasks_of
from registry.mail.kinds import KIND_BY_NAME, Delivery
from registry.mail.preferences import choose, deliveries_of, read_key
from registry.namespaces.actions.registration import next_informal_nid
from registry.namespaces.models import Kind, Namespace, Transfer
from registry.namespaces.permissions import may_answer_transfer
from registry.namespaces.queries import get_namespace
from registry.organisations.queries import invitations_to
from registry.registration_template.nids.rules import RULES
from urnsyntax import csv_cells
from urnsyntax.nid import is_well_formed

PAGE_SIZE = 50
MAX_DOWNLOAD = 5_000  # cases in one CSV file
COLUMNS = ("case", "subject", "state", "since", "kind", "procedure", "body", "registrant")
OPEN_FIRST = Keyset("is_closed", "-pk")


@require_safe
@login_not_required
def case_list(request: HttpRequest) -> HttpResponse:
    """All public cases, open ones first; with `format=csv` as a file."""
    form = CaseFilter(request.GET)
    is_valid = form.is_valid()
    cases = form.narrow(Case.objects.public().open_first().select_related("namespace", "body"))
    if is_valid and request.GET.get("format") == "csv":
        return _download(
            request, cases.select_related("organisation", "registrant").defer("draft", "draft_profile")
        )
    page = OPEN_FIRST.page(cases, request.GET.get("after", ""), PAGE_SIZE)
    status = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    context = {"form": form, "page": page, "max_download": MAX_DOWNLOAD}
    return render(request, "cases/list.html", context, status=status)


def _download(request: HttpRequest, cases: CaseQuerySet) -> HttpResponse:
    """Up to MAX_DOWNLOAD cases as CSV; the header Link leads to the next file."""
    page = OPEN_FIRST.page(cases, request.GET.get("after", ""), MAX_DOWNLOAD)
    response = HttpResponse(content_type="text/csv; charset=utf-8; header=present")
    response["Content-Disposition"] = 'attachment; filename="cases.csv"'
    if page.after:
        query = request.GET.copy()
        query["after"] = page.after
        response["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    rows = csv.writer(response)
    rows.writerow(COLUMNS)
    rows.writerows(_cells(case) for case in page.rows)
    return response


def _cells(case: Case) -> Iterable[str]:
    since = case.state_since.astimezone(UTC).isoformat(timespec="seconds")
    named = (case.pk, case.subject, case.state, since, case.kind, case.procedure, case.body or "")
    return map(csv_cells.written, map(str, (*named, case.change_controller)))


@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The tasks, drafts, cases and namespaces of the user."""
    user = request.user
    cases = Case.objects.select_related("namespace", "body")
    edited = cases.edited_by(user)
    subscribed = subscribed_by(user).exclude(pk__in=edited.values("pk")).select_related("namespace")
    transfers = list(Transfer.objects.waiting().concerning(user))
    context = {
        "desks": desks_of(user, at_most=PAGE_SIZE),
        "waiting": waiting_for_registrant(user),
        "drafts": drafts_of(user),
        "cases": [(case, next_steps.for_editor(case)) for case in edited.begun().open_first()[:PAGE_SIZE]],
        "claims": list(claim_tasks_of(user)),
        "subscribed": subscribed.open_first()[:PAGE_SIZE],
        "namespaces": Namespace.objects.run_by(user).select_related("latest", "organisation"),
        "invitations": Case.objects.open()
        .inviting(user)
        .select_related("namespace", "organisation", "registrant"),
        "transfers": transfers,
        "offered": {each.pk for each in transfers if may_answer_transfer(user, each)},
        "memberships": invitations_to(user),
        "is_administrator": RoleName.ADMINISTRATOR in user.roles,
    }
    return render(request, "cases/mine.html", context)


@accepts_body(BodySize.TEMPLATE)
@get_or_post
def begin(request: SignedInRequest) -> HttpResponse:
    """Choose the kind and the procedure, and create a draft. A completed template can be pasted."""
    form = NewCaseForm(posted(request), initial=_chosen(request), by=request.user)

    def create() -> HttpResponse:
        case = form.create(by=request.user)
        differences = differences_from_request(case, form.pasted, form.requested)
        store_parse_notes(request, case, form.parsed, differences)
        created = f"Draft created: case {case.pk}. It is visible to its editors only until you submit it."
        return lead_to(request, created, "cases:edit", case.pk)

    context = {"form": form, "bodies": known_bodies(), "next_informal": next_informal_nid()}
    return process_form(form, create, form_page(request, "cases/begin.html", context))


def _chosen(request: SignedInRequest) -> dict[str, str]:
    """What the guide or the NID check chose, from the query. Values that the form does not offer are left out."""
    nid = request.GET.get("nid", "")
    chosen = {"nid": nid if is_well_formed(nid) else ""}
    for name, offered in {"kind": Kind.values, "procedure": Procedure.values}.items():
        if (value := request.GET.get(name, "")) in offered:
            chosen[name] = value
    return chosen


@get_or_post
def revise(request: SignedInRequest, nid: str) -> HttpResponse:
    """Start a revision of a namespace of the user, with its current text, or with that of a draft that requests it and the
    profile that the draft proposes.
    """
    namespace = get_namespace(nid.lower())
    drafts.check_may_revise(namespace, by=request.user)
    source = _draft_for(request, namespace) if "from" in request.GET else None
    if request.method == "POST":
        template, profile = (source.draft_template, source.proposed_profile) if source else (None, None)
        case = drafts.start_revision(namespace, by=request.user, template=template, profile=profile)
        created = f"Draft created: version {case.next_version} of {namespace.nid}."
        return lead_to(request, created, "cases:edit", case.pk)
    begun = namespace.cases.open().edited_by(request.user).filter(is_revision=True)
    context = {"namespace": namespace, "begun": begun, "source": source}
    return render(request, "cases/revise.html", context)


def _draft_for(request: SignedInRequest, namespace: Namespace) -> Case:
    """The draft in the query. Raises NotPermitted unless the user edits it and it requests the identifier of the namespace."""
    number = request.GET["from"]
    requests = Case.objects.edited_by(request.user).filter(state=State.DRAFT, is_revision=False)
    if re.fullmatch("[0-9]{1,9}", number):
        requests = requests.filter(pk=number, requested_nid=namespace.nid)
        if draft := requests.first():
            return draft
    raise NotPermitted(
        f"You have no draft with this number that requests “{namespace.nid}”. Open the draft and save it with this "
        "identifier; then follow the link beside the identifier."
    )


EXAMPLES = ("isbn", "isbm", "weather-stations", "x-foo", "de-books", "fra", "http", "is_bn")
MAX_LENGTH_SHOWN = 100  # characters; a NID has fewer


@login_not_required
@require_safe
def check(request: HttpRequest) -> HttpResponse:
    typed = request.GET.get("nid", "")
    nid = _without_surroundings(typed)
    context = {
        "nid": nid,
        "was_trimmed": bool(nid) and nid != typed,
        "report": report_in_registry(nid[:MAX_LENGTH_SHOWN], Namespace.objects.with_latest())
        if nid
        else None,
        "rules": [rule for rule in RULES if rule.summary],
        "examples": EXAMPLES,
    }
    return render_page_or_partial(request, "nids/check.html", "nids/_report.html", context)


def _without_surroundings(typed: str) -> str:
    """The NID without spaces and the rest of a URN that begins with it: “ urn:museum: ”."""
    nid = typed.strip()
    if nid[:4].lower() == "urn:":
        nid = nid[4:].lstrip()
    return nid.removesuffix(":").rstrip()


@csrf_exempt  # the key is the permission; mail providers send no cookie
@login_not_required
@get_or_post
@never_cache
def unsubscribe_by_mail(request: HttpRequest, key: str) -> HttpResponse:
    """Only a POST unsubscribes, by the button of the page or by a mail provider: scanners follow links."""
    try:
        link = read_key(key)
    except (BadSignature, TypeError) as fault:
        raise Http404("This link is not from this registry, or it is incomplete.") from fault
    person = get_object_or_404(User, pk=link.person, is_active=True)
    context: dict[str, Any] = {"is_done": posted(request) is not None, "is_stale": not link.is_for(person)}
    if kind := KIND_BY_NAME.get(link.subject):
        context |= {"kind": kind, "was_off": deliveries_of(person).get(kind, Delivery.OFF) == Delivery.OFF}
        stop = partial(choose, person, {kind.name: Delivery.OFF})
    else:
        case = get_object_or_404(Case.objects.public(), pk=link.subject.removeprefix("case-"))
        context |= {"case": case, "was_off": not subscribed_by(person).filter(pk=case.pk).exists()}
        stop = partial(unsubscribe, case, by=person)
    if context["is_done"] and not context["is_stale"]:
        stop()
    status = HTTPStatus.GONE if context["is_stale"] else HTTPStatus.OK
    return render(request, "cases/unsubscribe_by_mail.html", context, status=status)
