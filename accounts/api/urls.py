from django.urls import path

from accounts.api import views
from accounts.api.base import api_doors
from accounts.types import KeyScope, Right

_KEYS = (Right.MANAGE_KEYS, KeyScope.KEYS)
_MEMBERS = (Right.MANAGE_MEMBERS, KeyScope.MEMBERS)

urlpatterns = [
    path("keys", api_doors(views.Keys, GET=_KEYS, POST=_KEYS), name="api_keys"),
    path("keys/<uuid:uid>", api_doors(views.Key, DELETE=_KEYS), name="api_key"),
    path("members", api_doors(views.Members, GET=_MEMBERS), name="api_members"),
    path("members/<uuid:uid>", api_doors(views.Member, PATCH=_MEMBERS, DELETE=_MEMBERS), name="api_member"),
    path("invitations", api_doors(views.Invitations, POST=_MEMBERS), name="api_invitations"),
]
