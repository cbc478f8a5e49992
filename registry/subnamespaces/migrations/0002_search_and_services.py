from django.db import migrations, models

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('subnamespaces', '0001_initial'),
    ]

    operations = [
        run_sql_file(__file__, "search"),
        migrations.AddIndex(
            model_name='subnamespace',
            index=models.Index(models.F('namespace'), models.F('key'), condition=models.Q(('content__has_key', 'services')), name='subnamespaces_with_services'),
        ),
    ]
