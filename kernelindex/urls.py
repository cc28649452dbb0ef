"""Root table: pages, API, accounts, admin."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.decorators.http import require_safe

from kernelindex.accounts import ActivateTOTPView, DeactivateTOTPView


@require_safe
def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """Where browsers look of their own accord, on pages that name no icon: the admin's, the API's."""
    return HttpResponseRedirect(static("img/icon.svg"))


urlpatterns = [
    path("", include("registry.urls")),
    path("", include("attestations.urls")),
    path("api/v1/", include(("registry.api.urls", "v1"))),
    path("accounts/2fa/totp/activate/", ActivateTOTPView.as_view()),
    path("accounts/2fa/totp/deactivate/", DeactivateTOTPView.as_view()),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
]
