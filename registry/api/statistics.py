"""`statistics/`: the numbers of the charts under `/statistics/`."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import NullableCharField
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import operation
from registry.statistics.charts import Chart, Row
from registry.statistics.queries import CHARTS


class StatisticsRowSerializer(serializers.Serializer[Row]):
    """One row: a number for each series, in their order."""

    label = serializers.CharField(help_text="What the part is called.")  # type: ignore[assignment]  # a member of the JSON
    values = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Null where there is nothing to count."
    )


class StatisticsTableSerializer(serializers.Serializer[Chart]):
    """The numbers of one chart."""

    name = serializers.CharField(source="slug", help_text="The name by which it is known.")
    title = serializers.CharField(help_text="A short title.")
    explanation = serializers.CharField(help_text="When a problem of this type occurs, and what to do.")
    label = serializers.CharField(help_text="What the labels of the rows are.")  # type: ignore[assignment]
    series = serializers.ListField(child=serializers.CharField(), help_text="The names of the series.")
    unit = NullableCharField(help_text="The unit of the numbers; null for counts.")
    note = NullableCharField(help_text="What the numbers do not show.")
    rows = StatisticsRowSerializer(
        many=True, help_text="The numbers, one row for each thing that is counted."
    )


class StatisticsSerializer(serializers.Serializer[Any]):
    """All statistics."""

    results = StatisticsTableSerializer(many=True, help_text="The entries, in order.")


class StatisticsView(PublicAPIView):
    """The numbers of the charts: registrations, sub-namespaces, cases, reviews, times to decision and outcomes."""

    @operation("getStatistics", "The statistics of the registry", response=StatisticsSerializer)
    def get(self, request: Request) -> Response:
        return Response(StatisticsSerializer({"results": [chart() for chart in CHARTS.values()]}).data)
