"""The web process's entry: any number of these behind a proxy."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kernelindex.settings")
application = get_wsgi_application()
