from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review_desk", "0003_more_questions")]

    operations = [ValidateConstraint("checklistmark", "checklist_question_is_known")]
