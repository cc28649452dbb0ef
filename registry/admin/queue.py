"""The queue has no page of its own: a schedule edited by hand can name any function, and a task can be sent again.

What is under way, and what came of it, stands on the syncs.
"""

from django.contrib import admin
from django_q.models import Failure, OrmQ, Schedule, Success

for model in (Schedule, OrmQ, Success, Failure):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
