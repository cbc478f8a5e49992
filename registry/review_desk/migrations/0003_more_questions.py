"""More questions of the checklist. A previous release does not ask them, and keeps the marks of the others."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

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
NEW = ["syntax-characters", "security-characters", "resolution-q-components", "documentation-specification"]


class Migration(migrations.Migration):
    dependencies = [("review_desk", "0002_case_assignment")]

    operations = [
        migrations.SeparateDatabaseAndState(
            # A constraint that permits more replaces it in the same transaction.
            [
                migrations.RunSQL(
                    [
                        "-- squawk-ignore ban-drop-constraint\nALTER TABLE review_desk_checklistmark DROP CONSTRAINT "
                        "checklist_question_is_known;"
                    ],
                    [
                        (
                            "ALTER TABLE review_desk_checklistmark ADD CONSTRAINT checklist_question_is_known CHECK "
                            "(question = ANY (%s)) NOT VALID;",
                            [[each for each in QUESTIONS if each not in NEW]],
                        )
                    ],
                )
            ],
            [migrations.RemoveConstraint("checklistmark", "checklist_question_is_known")],
        ),
        AddConstraintNotValid(
            "checklistmark",
            models.CheckConstraint(
                condition=models.Q(question__in=QUESTIONS), name="checklist_question_is_known"
            ),
        ),
    ]
