"""Something on every page: the demonstration, what it leaves out, and words that are wider than a telephone."""

from dataclasses import replace
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.management import call_command
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.tokens import make_token
from registry.audit_log.models import Event, SignedHead, Timestamp
from registry.cases import comments, corrections
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.custody.actions import claims
from registry.devserver.demonstration import FIXTURES
from registry.domains.actions import add_domain
from registry.mail import outbox
from registry.mail.bounces import record_bounce
from registry.mail.models import Message
from registry.namespaces.actions import deprecation, transfers
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.template_import import import_templates, read_templates
from registry.publication.iana.records import Xref
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.recalls import recall_entry
from registry.registers.actions.registers import change_register, resume_register, suspend_register
from registry.registers.actions.requests import refuse_request, request_entry
from registry.registers.models import Entry, Register
from registry.registration_template.checks.findings import Severity
from registry.registration_template.formatting import format_template
from registry.review_desk.experts import actions
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.marks import Mark, save_marks
from registry.review_desk.experts.review import workspace_for
from registry.sightings.actions import confirm_sighting, report_sighting
from registry.sightings.models import Sighting
from registry.webhooks.actions import pause_webhook, register_webhook
from registry.webhooks.models import Delivery, Webhook
from tests.publication.iana.samples import a_version
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_namespace,
    a_template,
    add_co_editor,
    an_approved_case,
)
from tests.support.passkeys import a_passkey
from tests.support.webhooks import confirmed

WIDE = "unbreakable" * 11


def person(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def case_of(nid: str) -> Case:
    return Case.objects.get(requested_nid=nid, namespace=None)


def fill() -> tuple[str, ...]:
    """Fill the database; the addresses that only a mail tells."""
    call_command("demo", "--with-known-passwords", stdout=StringIO())
    _of_a_body()
    _of_namespaces()
    _of_profiles()
    _of_registers()
    _of_cases()
    _at_the_experts_desk()
    _in_the_offices()
    newest = SignedHead.objects.last()
    Timestamp.objects.create(head=newest, authority="timestamp.example.org", reply="MAA=", at=timezone.now())
    return _told_by_mail()


def _of_a_body() -> None:
    """A case whose registration was completed by its body."""
    ashes = a_case_in_review(
        by=person("second-registrant"),
        namespace_identifier="ashes",
        syntax="Opaque.",
        body=a_body(name="A body"),
    )
    functions.recognise(ashes, by=person("liaison"), reference="Minutes 7")
    functions.request_completion(ashes, by=person("second-registrant"))


def _of_namespaces() -> None:
    registrant, heir, administrator = (
        person(who) for who in ("registrant", "second-registrant", "administrator")
    )
    make_token(by=registrant, name=f"An example {WIDE}"[:60], scopes=["read"])
    a_passkey(registrant, name=f"An example {WIDE}"[:60])
    TOTP.activate(registrant, generate_totp_secret())
    RecoveryCodes.activate(registrant)
    _of_webhooks(registrant)
    a_namespace(
        by=registrant,
        expert=person("expert"),
        administrator=administrator,
        namespace_identifier="a-namespace-with-a-rather-long-n",
        purpose=f"Names everything.\n{WIDE}",
        syntax="Opaque.",
        documentation=f"https://example.org/{'a' * 120}",
    )
    society = create_organisation(by=registrant, name=f"Society of gardens {WIDE}")
    add_domain(society, by=registrant, domain=f"{WIDE[:50].lower()}.example")
    lawns = register_formal(a_template(namespace_identifier="example-lawns"), registrant=society).namespace
    recovery = claims.recover_organisation(lawns, by=heir, ground="other", statement=f"I work there. {WIDE}")
    claims.announce_claim(recovery, by=administrator, reason=f"Mails bounce. {WIDE}")
    for nid in ("isbn", "example-trees"):
        claim = claims.claim_namespace(
            Namespace.objects.get(nid=nid),
            by=heir,
            ground="domain",
            statement=f"We manage it. {WIDE}",
            links=[f"https://example.org/{WIDE}"],
        )
    claims.announce_claim(claim, by=administrator, reason=f"Mails bounce. {WIDE}")
    for nid, who in (("weeds", heir), ("weeds.example", registrant)):
        report_sighting(by=who, nid=nid, used_by=f"Weeds {WIDE}", source=f"https://example.org/{WIDE}")
    confirm_sighting(Sighting.objects.latest("pk"), by=administrator, reason=f"Read. {WIDE}")
    record_bounce(registrant.email, f"550 5.1.1 No such user. {WIDE}")
    transfers.offer_transfer(
        Namespace.objects.get(nid="example-trees"), by=registrant, to=heir.email, reason=f"We merge. {WIDE}"
    )
    # Of these tables, administrators read their own rows at /admin/.
    operators = create_organisation(by=administrator, name=f"Operators {WIDE}")
    add_domain(operators, by=administrator, domain=f"{WIDE[:40].lower()}.example")
    transfers.offer_transfer(
        Namespace.objects.get(nid="iso"), by=administrator, to=heir.email, reason=f"They asked. {WIDE}"
    )
    deprecation.deprecate(
        Namespace.objects.get(nid="fipa"),
        by=administrator,
        statement=f"It is not used. {WIDE}",
        successor=Namespace.objects.get(nid="isbn"),
    )


def _of_webhooks(registrant: User) -> None:
    """One that is not confirmed, one that is paused, and one that fails and has deliveries with long replies."""
    register_webhook(by=registrant, url="https://hooks.example.org/unconfirmed")
    paused, _ = register_webhook(by=registrant, url="https://hooks.example.org/registry")
    pause_webhook(confirmed(paused), by=registrant)
    webhook, _ = register_webhook(
        by=registrant, url=f"https://hooks.example.org/{WIDE}", verbs=["assign", "deprecate"], nids=["isbn"]
    )
    now = timezone.now()
    confirmed(webhook)
    Webhook.objects.filter(pk=webhook.pk).update(failures=2, failing_since=now, next_attempt_at=now)
    for attempt in (1, 2):
        Delivery.objects.create(
            webhook=webhook,
            message_id="evt_7_0123456789abcdef",
            event_number=7,
            attempt=attempt,
            milliseconds=14_999,
            is_delivered=False,
            status_code=500,
            response=f"<b>Oops</b>\n{WIDE}",
            error="The reply is 500; a status from 200 to 299 is needed.",
        )


def _of_profiles() -> None:
    """A second version with long texts, and one that removes the profile."""
    trees, oma = (Namespace.objects.get(nid=nid) for nid in ("example-trees", "oma"))
    profile = trees.current_profile
    assert profile is not None
    longer = replace(
        profile,
        title=f"Trees {WIDE}"[:120],
        summary=f"Names {WIDE}.",
        organisation=WIDE,
        names=replace(profile.names, notes=(WIDE,), parts={"tree": WIDE[:60]}),
    )
    who = person("administrator")
    set_profile(trees, by=who, profile=longer, basis=f"Longer. {WIDE}", replaces=2)
    set_profile(oma, by=who, profile=None, basis=f"It is wrong. {WIDE}", replaces=1)


def _of_registers() -> None:
    """Long texts in a register, in requests for entries, and as the reason of a suspension."""
    registrant, requester, administrator = map(person, ("registrant", "second-registrant", "administrator"))
    gardens, codes = (Register.objects.get(policy=policy) for policy in ("expert_review", "specification"))
    for name in ("Gardens", "Parks"):
        gardens = change_register(
            gardens,
            by=registrant,
            policy=gardens.policy,
            title=f"{name} {WIDE}",
            guidance=WIDE,
            replaces=gardens.version,
        )
    declare_fields(
        codes,
        by=registrant,
        fields=[
            {"label": WIDE[:60], "help": WIDE, "kind": "lines", "required": True},
            {"label": "Size", "kind": "choice", "choices": [WIDE[:60], WIDE[:59]]},
        ],
        replaces=codes.version,
    )
    codes.refresh_from_db()
    long, size = (each.name for each in codes.declared)
    values = {long: WIDE, size: WIDE[:60]}
    asked = {
        "title": f"Codes {WIDE}",
        "fields": values,
        "reference": f"https://example.org/{WIDE}",
        "note": WIDE,
    }
    for number in range(2):
        waiting = request_entry(
            codes,
            by=requester,
            label=f"{number}{WIDE}",
            contact=f"{WIDE[:60]}@example.org",
            register_version=codes.version,
            **asked,
        )
    _, recalled = Entry.objects.filter(register=gardens).exclude(person=None).order_by("pk")
    recall_entry(recalled, by=registrant, reason=f"Mails bounce. {WIDE}")
    refuse_request(waiting, by=registrant, revision=1, reason=f"It is no list of codes. {WIDE}")
    suspended = Register.objects.exclude(suspended_at=None).get()
    resume_register(suspended, by=administrator, reason=f"It was lifted. {WIDE}")
    suspend_register(suspended, by=administrator, reason=f"Order of a court. {WIDE}")


def _of_cases() -> None:
    expert, registrant = person("expert"), person("registrant")
    add_co_editor(case_of("example-recipes"), by=registrant, user=person("second-registrant"))
    people.invite_co_editor(case_of("example-recipes"), by=registrant, email="administrator@example.org")
    bridges = case_of("example-bridges")
    people.anticipate_standards_action(bridges, by=expert, anticipated=True, reason="In a draft.")
    people.recuse(case_of("example-recipes"), by=person("liaison"), reason="I know the authors.")
    late = a_case_in_review(
        by=registrant, namespace_identifier="a-rather-long-namespace-identifi", purpose=WIDE, syntax="Opaque."
    )
    people.require_two_experts(late, by=expert, required=True, reason="It is far-reaching.")
    said = comments.comment(late, by=expert, round_number=1, section="purpose", text="And elms?")
    for number in range(5):
        said = comments.comment(
            late, by=registrant, round_number=1, text=f"Elm {number}, {WIDE}", reply_to=said.pk
        )
    mosses = a_case_in_review(by=registrant, namespace_identifier="example-mosses", syntax="Opaque.")
    mosses = functions.decline(mosses, by=expert, round_number=1, reason=f"Not {WIDE}.")
    functions.appeal(mosses, by=registrant, reason=f"Needed. {WIDE}")
    drafts.create_case(by=registrant, kind=Kind.FORMAL)
    # Wants what another case wants too.
    a_case_in_review(by=registrant, namespace_identifier="example-bridge", syntax="Opaque.")


def _at_the_experts_desk() -> None:
    expert, leader, today = person("expert"), person("second-expert"), timezone.now().date()
    late = case_of("a-rather-long-namespace-identifi")
    trails = Case.objects.get(kind="informal", namespace=None)
    long_ago = timezone.now() - timedelta(days=40)
    Case.objects.filter(pk=late.pk).update(state_since=long_ago)
    call_command("send_reminders", stdout=StringIO())
    expert_actions.take_case(late, by=leader)
    actions.add_absence(by=leader, first_day=today, last_day=today + timedelta(days=4))
    actions.add_absence(by=expert, first_day=today + timedelta(days=9), last_day=today + timedelta(days=9))
    expert_actions.take_case(trails, by=expert)
    for each in (expert, leader):
        save_marks(
            trails,
            by=each,
            round_number=2,
            marks={"syntax-structure": Mark(note=f"Long: {WIDE}")},
        )
    similar = case_of("example-bridge")
    finding = next(
        finding
        for section in workspace_for(similar, expert).sections
        for finding in section.round_section.findings
        if finding.severity is Severity.ADVICE
    )
    people.dismiss_finding(
        similar,
        by=expert,
        round_number=1,
        section=finding.section,
        code=finding.code,
        reason=f"As agreed. {WIDE}",
    )


def _in_the_offices() -> None:
    mails = list(Message.objects.order_by("pk"))
    Message.objects.filter(pk=mails[0].pk).update(
        attempts=1, last_attempt_at=timezone.now(), sent_at=timezone.now()
    )
    Message.objects.filter(pk=mails[-1].pk).update(
        last_error=f"The mail server answered 451 {WIDE}", attempts=1
    )
    outbox.post_rendered("password_reset_key", to="somebody@example.org", subject="Reset", body="A link")
    _import()
    _what_waits()
    corrections.correct(
        Event.objects.filter(verb="submit").order_by("number")[0],
        by=person("administrator"),
        wrong="The day is wrong.",
        right=f"It was the day before. {WIDE}",
        reference=f"https://example.org/{WIDE}",
    )


def _what_waits() -> None:
    """A case that can no longer be assigned, and one about which the approval body is asked much."""
    registrant, expert = person("registrant"), person("expert")
    how = {"namespace_identifier": "example-ferns", "syntax": "Opaque."}
    first, _ = (an_approved_case(by=registrant, expert=expert, **how) for _ in range(2))
    functions.assign(first, by=person("administrator"))
    elms = a_case_in_review(by=registrant, namespace_identifier="example-elms", syntax="Opaque.")
    elms = people.anticipate_standards_action(elms, by=expert, anticipated=True, reason="Part of a standard.")
    functions.forward_report(elms, by=expert, round_number=1, report="Sound. " * 60 + WIDE)


def _import() -> None:
    """A later file of IANA's, in which one entry is gone and one says something else; and an original text."""
    first = read_version(FIXTURES / IANA_FIXTURE).file
    _, changed, *others = first.records
    later = date.fromisoformat(first.updated) + timedelta(days=1)
    records = [replace(changed, references=(Xref("rfc", "rfc8141"),)), *others]
    import_versions([a_version(replace(first, updated=later.isoformat(), records=records))])
    with TemporaryDirectory() as folder:
        text = format_template(a_template(namespace_identifier=changed.nid))
        Path(folder, f"{changed.nid}.8141.txt").write_text(text, encoding="utf-8")
        import_templates(read_templates(Path(folder)))


def _told_by_mail() -> tuple[str, ...]:
    registrant = person("registrant")
    other = EmailAddress.objects.create(user=registrant, email="other@example.org")
    reset = f"{user_pk_to_url_str(registrant)}-{default_token_generator.make_token(registrant)}"
    return (
        f"/accounts/password/reset/key/{reset}/",
        f"/accounts/confirm-email/{EmailConfirmationHMAC(other).key}/",
    )
