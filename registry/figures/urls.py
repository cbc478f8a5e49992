"""/figures/ and below."""

from django.urls import path

from registry.figures import views

app_name = "figures"
urlpatterns = [
    path("", views.figures, name="figures"),
    path("<slug:slug>.svg", views.picture, name="picture"),
    path("<slug:slug>.csv", views.numbers, name="numbers"),
]
