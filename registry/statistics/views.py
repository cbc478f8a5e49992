"""Views of the statistics: all charts with their tables, and each chart as SVG or CSV."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.statistics.charts import Chart
from registry.statistics.queries import CHARTS


@login_not_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    return render(request, "statistics/index.html", {"charts": [count() for count in CHARTS.values()]})


@login_not_required
@require_safe
def chart_svg(request: HttpRequest, slug: str) -> HttpResponse:
    chart = _chart_or_404(slug)
    context = {"chart": chart, "is_alone": True}
    return render(request, chart.template, context, content_type="image/svg+xml")


@login_not_required
@require_safe
def chart_csv(request: HttpRequest, slug: str) -> HttpResponse:
    response = HttpResponse(_chart_or_404(slug).csv, content_type="text/csv; charset=utf-8; header=present")
    response["Content-Disposition"] = f'inline; filename="{slug}.csv"'
    return response


def _chart_or_404(slug: str) -> Chart:
    if slug not in CHARTS:
        raise Http404(f"There is no chart “{slug}”.")
    return CHARTS[slug]()
