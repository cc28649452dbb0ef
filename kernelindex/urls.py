"""Root table: pages, API, accounts, admin."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

# One door for staff too: the admin's own login page would know nothing of allauth's limits and factors.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = "KernelIndex"

urlpatterns = [
    path("", include("registry.urls")),
    path("api/v1/", include(("registry.api.urls", "v1"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
