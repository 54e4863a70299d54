from django.urls import path

from accounts.api.base import api_doors
from accounts.types import KeyScope, Right
from agents.api import views

_READ = (Right.ENTER, KeyScope.AGENTS_READ)
_ONE = (Right.ASK_AGENT, KeyScope.AGENTS_READ)
_CREATE = (Right.CREATE_AGENT, KeyScope.AGENTS_WRITE)
_CHANGE = (Right.MANAGE_AGENT, KeyScope.AGENTS_WRITE)

urlpatterns = [
    path("answers", views.answers, name="api_answers"),
    path("agents", api_doors(views.Agents, GET=_READ, POST=_CREATE), name="api_agents"),
    path(
        "agents/<str:agent>",
        api_doors(views.Agent, GET=_ONE, PATCH=_CHANGE, DELETE=_CHANGE),
        name="api_agent",
    ),
]
