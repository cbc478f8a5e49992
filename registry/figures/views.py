"""/figures/: every figure as a picture beside its table, and each alone as SVG and as CSV."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.figures.charts import Figure
from registry.figures.counting import FIGURES


@login_not_required
@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    return render(request, "figures/figures.html", {"figures": [count() for count in FIGURES.values()]})


@login_not_required
@require_safe
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    answer = {"figure": _counted(slug), "is_alone": True}
    return render(request, "figures/bars.svg", answer, content_type="image/svg+xml")


@login_not_required
@require_safe
def numbers(request: HttpRequest, slug: str) -> HttpResponse:
    answer = HttpResponse(_counted(slug).csv, content_type="text/csv; charset=utf-8; header=present")
    answer["Content-Disposition"] = f'inline; filename="{slug}.csv"'
    return answer


def _counted(slug: str) -> Figure:
    if slug not in FIGURES:
        raise Http404(f"There is no figure “{slug}”.")
    return FIGURES[slug]()
