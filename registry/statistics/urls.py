"""URLs of the statistics: /statistics/ and below."""

from django.urls import path

from registry.statistics import views

app_name = "statistics"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("<slug:slug>.svg", views.chart_svg, name="chart_svg"),
    path("<slug:slug>.csv", views.chart_csv, name="chart_csv"),
]
