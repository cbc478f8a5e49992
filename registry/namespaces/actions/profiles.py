"""Setting the profile of a namespace."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar

from django.dispatch import Signal

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import Stamp, Text
from registry.audit_log.history import VERSION, Detail
from registry.audit_log.models import Event
from registry.core.digests import digest_of
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_BASIS_LENGTH, MAX_LISTED, check_text
from registry.namespaces import permissions
from registry.namespaces.actions.registrants import notify_of_profile
from registry.namespaces.current_profiles import changed_keys, contradictions_in_text
from registry.namespaces.inputs import ProfileDocument
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.profile_cache import keep_profile
from registry.namespaces.subjects import NAMESPACE, OUTCOME
from urnsyntax.profiles import Profile
from urnsyntax.profiles.examples import LEAST_EXAMPLES, failures_of

profile_written = Signal()
"""Sent in the transaction that writes a version of a profile, with `namespace`, which is locked, and `profile`, not for a removal.

What else depends on the rules for names follows them here, or refuses them with a RegistryError."""


class StaleProfile(RegistryError):
    """Another profile was set after the version given in `replaces`. The member `current` is its version."""

    title = "The profile has changed"

    def __init__(self, namespace: Namespace, current: int) -> None:
        now = f"version {current} of its profile" if current else "no profile"
        super().__init__(f"“{namespace.nid}” now has {now}. Read the current profile before you replace it.")
        self.current = current
        self.members = {"current": current}


class ProfileUnchanged(RegistryError):
    """The profile and its basis are already set, or there is no profile to remove."""

    title = "The profile is unchanged"


class ProfileOfOtherNamespace(RegistryError):
    """The profile states the NID of another namespace."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The profile is one of another namespace"

    def __init__(self, namespace: Namespace, profile: Profile) -> None:
        super().__init__(
            f"nid: The profile is one of “{profile.nid}”. The profile of “{namespace.nid}” must state its NID."
        )


class PrefixesCollide(RegistryError):
    """By the rules of the profile, two prefixes of the list of sub-namespaces would be the same."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Two sub-namespaces would be the same"


class NamesContradict(Exception):
    """Names, or prefixes of names, contradict a profile. The member `failures` has a sentence for each; the first ones are in the
    message, before the advice.

    The subclasses are also subclasses of RegistryError.
    """

    title: ClassVar[str]
    advice: ClassVar[str] = ""

    def __init__(self, failures: list[str]) -> None:
        others = len(failures) - MAX_LISTED
        more = [f"There {'is' if others == 1 else 'are'} {others:,} more."] if others > 0 else []
        super().__init__(" ".join(filter(None, [*failures[:MAX_LISTED], *more, self.advice])))
        self.failures = failures
        self.members = {"failures": failures}


class ExamplesFail(NamesContradict, RegistryError):
    """Examples or counterexamples do not behave as the profile says. The member `failures` has a sentence for each."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Examples contradict the profile"
    advice = "Correct the grammar or the examples."


class RegistrationContradicted(NamesContradict, RegistryError):
    """The registered text contains names that the grammar forbids. The member `failures` has a sentence for each."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The grammar contradicts the registration"
    advice = "Correct the grammar. If the text shows a wrong name, list it as a counterexample."


@dataclass(frozen=True, slots=True)
class WrittenProfile:
    """A new version of a profile without its event. `replaced` is the version before it, if there is one."""

    made: ProfileVersion
    replaced: ProfileVersion | None


def _latest_version(namespace: Namespace) -> int:
    last = namespace.profile_versions.last()
    return last.version if last else 0


def _mail_about_profile(event: Event, context: ActionContext[Namespace]) -> None:
    notify_of_profile(event, context.result)


SET_PROFILE = Action[Namespace](
    name="set_profile",
    operation_id="setNamespaceProfile",
    label="Edit the profile",
    button="Set this profile",
    effect=(
        "A profile says what a namespace is, and which names it allows. "
        "It is public, every version is kept, and the registration stays unchanged. "
        "To remove the profile, empty it and state the basis of the removal."
    ),
    success="The profile was set. The registrant was notified by e-mail.",
    past="Profile {outcome}, version {version}",
    details=(VERSION, OUTCOME, Detail("changed", list, "The keys of the profile that changed.")),
    permission=permissions.is_administrator,
    not_permitted="Only an administrator who is not its registrant can set the profile of “{subject.nid}”.",
    gravity=Gravity.DECISION,
    parameters=(
        ProfileDocument(
            "profile",
            "Profile",
            "A TOML document with the keys of the profiles in <code>fixtures/profiles</code>.",
        ),
        Text(
            "basis",
            "Basis",
            "Why this version is set, such as a section of the registration and its text. This is public.",
            lines=4,
            max_length=MAX_BASIS_LENGTH,
        ),
        Stamp(
            "replaces",
            "The version that this profile replaces; 0 before the first",
            current=_latest_version,
            refusal=StaleProfile,
        ),
    ),
    refusals=(
        ProfileUnchanged,
        ProfileOfOtherNamespace,
        PrefixesCollide,
        ExamplesFail,
        RegistrationContradicted,
    ),
    # `manage.py load_profiles`
    is_automatic=True,
    needs_confirmed_address=False,
    notify=_mail_about_profile,
)


@performs(SET_PROFILE, NAMESPACE)
def set_profile(
    context: ActionContext[Namespace], *, profile: Profile | None, basis: str, replaces: int
) -> ProfileVersion:
    """Set the profile of a namespace, or remove it with None.

    `basis` says why. `replaces` is the current version of the profile, 0 if none was set.
    """
    written = write_profile(context.subject, by=context.by, profile=profile, basis=basis, replaces=replaces)
    return _describe(context, written)


def write_profile(
    namespace: Namespace,
    *,
    by: User | None,
    profile: Profile | None,
    basis: str,
    replaces: int,
    least_counterexamples: int = LEAST_EXAMPLES,
) -> WrittenProfile:
    """Check a profile and write it as the next version of a locked namespace. The caller calls `record_profile`.

    Checks take long, and an event blocks all other writers. So a transaction with several events writes the profile before
    the first one. A profile that a registrant proposed needs no counterexamples.
    """
    last = namespace.profile_versions.last()
    current = last.version if last else 0
    if replaces != current:
        raise StaleProfile(namespace, current)
    basis = check_text(basis, "the basis of the profile", longest=MAX_BASIS_LENGTH, argument="basis")
    content = profile.to_dict() if profile else None
    made = ProfileVersion(
        namespace=namespace,
        version=current + 1,
        content=content,
        digest=digest_of(content),
        basis=basis,
        set_by=by,
    )
    _check_new(last, made)
    if profile is not None:
        check_profile(namespace, profile, least_counterexamples=least_counterexamples)
        keep_profile(made.digest, profile)
    _save(made)
    if profile is not None:
        profile_written.send(sender=Profile, namespace=namespace, profile=profile)
    return WrittenProfile(made, last)


def record_profile(written: WrittenProfile) -> None:
    """Append the event of a new version, and mail the registrant."""
    made = written.made
    context = ActionContext(made.namespace, made.set_by, SET_PROFILE)
    context.result = _describe(context, written)
    NAMESPACE.record(context)


def _describe(context: ActionContext[Namespace], written: WrittenProfile) -> ProfileVersion:
    made, replaced = written.made, written.replaced
    context.reason = made.basis
    context.details = {
        "text_digest": made.digest,
        "version": made.version,
        "outcome": "removed" if made.content is None else "set",
        "changed": changed_keys(replaced.content if replaced else None, made.content),
    }
    return made


def check_profile(
    namespace: Namespace, profile: Profile, *, least_counterexamples: int = LEAST_EXAMPLES
) -> None:
    """Raise ProfileOfOtherNamespace, ExamplesFail or RegistrationContradicted if the namespace can't have the profile."""
    if profile.nid != namespace.nid:
        raise ProfileOfOtherNamespace(namespace, profile)
    if failures := list(failures_of(profile, least_counterexamples=least_counterexamples)):
        raise ExamplesFail(failures)
    if failures := list(contradictions_in_text(namespace, profile)):
        raise RegistrationContradicted(failures)


def _check_new(last: ProfileVersion | None, made: ProfileVersion) -> None:
    """Raise ProfileUnchanged if the profile and its basis would not change."""
    nid = made.namespace.nid
    if made.content is None and (last is None or last.content is None):
        raise ProfileUnchanged(f"“{nid}” has no profile to remove.")
    if last is not None and (last.digest, last.basis) == (made.digest, made.basis):
        raise ProfileUnchanged(f"“{nid}” already has this profile: version {last.version}.")


def _save(made: ProfileVersion) -> None:
    made.save()
    made.namespace.refresh_from_db(fields=["profile", "has_grammar"])
