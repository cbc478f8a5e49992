"""The people who gain by the cases of a person, and the bodies that cases name."""

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.accounts.models import Body, Recognition, User
from registry.cases.models.belonging import Representative
from registry.cases.models.cases import Case
from registry.cases.models.people import CoEditor
from registry.organisations.models import Membership, colleagues_of


def known_bodies() -> models.QuerySet[Body]:
    """The recognised bodies, and those of public cases. Bodies of drafts are private."""
    named = Exists(Case.objects.public().filter(body=OuterRef("pk")))
    return Body.objects.filter(named | Q(recognition=Recognition.RECOGNISED)).order_by("name")


def associates_of(user: User) -> QuerySet[User]:
    """`user`, the people who represent a body together with them, those who edit a case with them, and the members of
    their organisations.
    """
    edited = Case.objects.edited_by(user)
    represent = Representative.objects.filter(body__representatives=user)
    return User.objects.filter(
        Q(pk=user.pk)
        | Q(pk__in=represent.values("user"))
        | Q(pk__in=edited.values("registrant"))
        | Q(pk__in=CoEditor.objects.filter(case__in=edited).values("user"))
        | Q(pk__in=colleagues_of(user))
    )


def of_interest_to(user: User) -> Q:
    """Whether `user` or an associate gains by a case: they edit it, are a member of its organisation or represent its
    body, or `user` edits another case of the body.
    """
    associates = associates_of(user)
    memberships = Membership.objects.current().filter(organisation=OuterRef("organisation"))
    return (
        Q(registrant__in=associates)
        | Q(Exists(memberships.filter(user__in=associates)))
        | Q(Exists(CoEditor.objects.filter(case=OuterRef("pk"), user__in=associates)))
        | Q(Exists(Representative.objects.filter(body=OuterRef("body"), user__in=associates)))
        | Q(Exists(Case.objects.edited_by(user).filter(body=OuterRef("body"))))
    )
