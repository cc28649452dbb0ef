"""The API's site map."""

urlpatterns: list = []
