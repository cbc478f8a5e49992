"""More questions of the checklist. A previous release does not ask them, and keeps the marks of the others."""

from django.db import migrations, models

from registry.core.database.migration_operations import WidenConstraint

QUESTIONS = [
    "identifier-implications",
    "registrant-stability",
    "registrant-competence",
    "purpose-kinds",
    "purpose-scope",
    "purpose-benefit",
    "purpose-relation",
    "purpose-software",
    "purpose-services",
    "purpose-standard",
    "syntax-structure",
    "syntax-characters",
    "syntax-encoding",
    "syntax-equivalence",
    "syntax-mapping",
    "syntax-components",
    "assignment-who",
    "assignment-unique",
    "assignment-permanence",
    "security-comparison",
    "security-leakage",
    "security-harvesting",
    "security-characters",
    "security-guidelines",
    "interoperability-known",
    "interoperability-settled",
    "resolution-intended",
    "resolution-services",
    "resolution-r-components",
    "resolution-q-components",
    "documentation-specification",
    "additional-comparison",
    "revision-changes",
]


class Migration(migrations.Migration):
    dependencies = [("review_desk", "0002_case_assignment")]

    operations = [
        WidenConstraint(
            "checklistmark",
            models.CheckConstraint(
                condition=models.Q(question__in=QUESTIONS), name="checklist_question_is_known"
            ),
        ),
    ]
