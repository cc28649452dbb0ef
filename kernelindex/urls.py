"""Root table: pages, API, accounts, admin."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.decorators.http import require_safe

# One door for staff too: the admin's own login page would know nothing of allauth's limits and factors.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@require_safe
def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """Where browsers look of their own accord, on pages that name no icon: the admin's, the API's."""
    return HttpResponseRedirect(static("img/icon.svg"))


urlpatterns = [
    path("", include("registry.urls")),
    path("", include("attestations.urls")),
    path("api/v1/", include(("registry.api.urls", "v1"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
]
