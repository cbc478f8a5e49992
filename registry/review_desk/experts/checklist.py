"""The review checklist: the requirements of RFC 8141, mostly of Sections 5.1 and 6.2 to 6.4, as questions for each template
section.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChecklistQuestion:
    """One question. `key` is stored with the notes of experts, so it must never change."""

    key: str
    section: str
    reference: str
    text: str


CHECKLIST: tuple[ChecklistQuestion, ...] = (
    ChecklistQuestion(
        "identifier-implications",
        "namespace_identifier",
        "5.1",
        "If the identifier could be read as a country, a URI scheme, another identifier system or a trademark, is that justified?",
    ),
    ChecklistQuestion(
        "registrant-stability",
        "registrant",
        "5.1 (1)",
        "Can the organisation maintain the namespace for a long time, or is it clear how the namespace continues without it?",
    ),
    ChecklistQuestion(
        "registrant-competence", "registrant", "5.1 (2)", "Is the organisation competent to assign URNs?"
    ),
    ChecklistQuestion(
        "purpose-kinds", "purpose", "6.4.1 (1)", "Is it clear which kinds of resources are named?"
    ),
    ChecklistQuestion(
        "purpose-scope",
        "purpose",
        "6.4.1 (2)",
        "Is it clear who uses the URNs, and whether on public or on private networks?",
    ),
    ChecklistQuestion(
        "purpose-benefit",
        "purpose",
        "6.4.1 (3)",
        "Does it describe how the community and Internet users in general benefit?",
    ),
    ChecklistQuestion(
        "purpose-relation",
        "purpose",
        "6.4.1 (4)",
        "Does it describe the relation to existing namespaces, URI schemes and other identifier systems?",
    ),
    ChecklistQuestion(
        "purpose-software", "purpose", "6.4.1 (5)", "Is it clear what kinds of software can use the URNs?"
    ),
    ChecklistQuestion(
        "purpose-services",
        "purpose",
        "6.4.1 (6)",
        "Does it state whether resolution services are or will be available, and which?",
    ),
    ChecklistQuestion(
        "purpose-standard",
        "purpose",
        "6.4.1 (7)",
        "Does it state whether the namespace will become part of a standard?",
    ),
    ChecklistQuestion(
        "syntax-structure",
        "syntax",
        "6.4.2 (1)",
        "Is the structure described, or declared opaque, and does it conform to the URN syntax?",
    ),
    ChecklistQuestion(
        "syntax-characters",
        "syntax",
        "2.2",
        "Are names of ASCII letters and digits? If not, is it explained why, and do they follow IDNA, PRECIS or UAX #31?",
    ),
    ChecklistQuestion(
        "syntax-encoding",
        "syntax",
        "6.4.2 (2)",
        "Are special rules for encoding characters given, and characters with a special meaning named?",
    ),
    ChecklistQuestion(
        "syntax-equivalence",
        "syntax",
        "6.4.2 (3)",
        "Are there rules for equivalence, and do they only remove false negatives? Is it clear if several names can identify one "
        "resource?",
    ),
    ChecklistQuestion(
        "syntax-mapping",
        "syntax",
        "6.4.2 (4)",
        "If names come from another identifier system, is the mapping of its reserved characters described?",
    ),
    ChecklistQuestion(
        "syntax-components",
        "syntax",
        "6.4.2 (5)",
        "Is the meaning of q-components and f-components defined, if they are used?",
    ),
    ChecklistQuestion(
        "assignment-who",
        "assignment",
        "6.4.3 (1)",
        "Is it clear who assigns, whether assignment is open, closed or limited, and how to become an assigner?",
    ),
    ChecklistQuestion(
        "assignment-unique", "assignment", "6.4.3 (2)", "Is it clear what keeps the URNs unique?"
    ),
    ChecklistQuestion(
        "assignment-permanence",
        "assignment",
        "5.1 (3)",
        "Does the organisation commit to never reassigning URNs, and to keeping old ones valid?",
    ),
    ChecklistQuestion(
        "security-comparison",
        "security_and_privacy",
        "6.4.4",
        "Are the consequences of false negatives and false positives in comparison considered (RFC 6943)?",
    ),
    ChecklistQuestion(
        "security-leakage",
        "security_and_privacy",
        "6.4.4",
        "Is it considered what names reveal about people on the public Internet?",
    ),
    ChecklistQuestion(
        "security-harvesting", "security_and_privacy", "6.4.4", "Is the harvesting of directories considered?"
    ),
    ChecklistQuestion(
        "security-characters",
        "security_and_privacy",
        "8",
        "If resolvers give some characters of a name a special meaning, is that considered?",
    ),
    ChecklistQuestion(
        "security-guidelines",
        "security_and_privacy",
        "6.4.4",
        "Are the other questions of the guidelines considered (RFC 3552, RFC 6973)?",
    ),
    ChecklistQuestion(
        "interoperability-known",
        "interoperability",
        "6.4.5",
        "Are all known issues described, such as confusion with other namespaces, schemes or systems?",
    ),
    ChecklistQuestion(
        "interoperability-settled",
        "interoperability",
        "6.4.5",
        "Are concerns that were raised during registration resolved, as far as possible?",
    ),
    ChecklistQuestion(
        "resolution-intended",
        "resolution",
        "6.4.6",
        "Does it state whether resolution is intended or expected?",
    ),
    ChecklistQuestion(
        "resolution-services",
        "resolution",
        "6.4.6",
        "If so, does it name services that the assigner runs or recommends, and requirements for advertising them?",
    ),
    ChecklistQuestion(
        "resolution-r-components",
        "resolution",
        "6.4.6",
        "Are special considerations for r-components described, if there are any?",
    ),
    ChecklistQuestion(
        "resolution-q-components",
        "resolution",
        "2.3.2",
        "Does resolution work without a q-component?",
    ),
    ChecklistQuestion(
        "documentation-specification",
        "documentation",
        "6.2, 6.3 (2)",
        "Does it cite a stable specification? On the fast track: does that contain or cite the standards that are needed?",
    ),
    ChecklistQuestion(
        "additional-comparison",
        "additional_information",
        "6.4.7",
        "Is the namespace compared with others that seem to overlap (optional)?",
    ),
    ChecklistQuestion(
        "revision-changes",
        "revision_information",
        "6.2",
        "In a revision: are relevant changes of the underlying technology and of the management of the namespace noted?",
    ),
)
QUESTION_BY_KEY = {question.key: question for question in CHECKLIST}


def questions_in_section(section: str) -> tuple[ChecklistQuestion, ...]:
    return tuple(question for question in CHECKLIST if question.section == section)
