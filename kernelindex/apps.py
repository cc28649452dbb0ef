"""Django's admin with the front page of this site's staff."""

from django.contrib.admin.apps import AdminConfig


class StaffConfig(AdminConfig):
    default_site = "registry.staff.StaffSite"
