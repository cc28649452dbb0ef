"""Tables of accounts that no page of the admin shows: they hold factors' secrets, session keys and tokens.

What staff may do to an account are acts with a reason, on the account.
"""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin

for model in (Authenticator, SocialAccount, SocialApp, SocialToken, UserSession):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
