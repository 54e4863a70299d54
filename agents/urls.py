from django.urls import path

from agents import views

console = [
    path("agents/", views.agents, name="agents"),
    path("agents/create/", views.agent_create, name="agent_create"),
    path("agents/<str:agent>/", views.chat, name="chat"),
    path("agents/<str:agent>/ask/", views.chat_ask, name="chat_ask"),
    path("agents/<str:agent>/settings/", views.agent_change, name="agent_change"),
    path("agents/<str:agent>/delete/", views.agent_delete, name="agent_delete"),
    path(
        "agents/<str:agent>/conversations/<uuid:uid>/delete/",
        views.conversation_delete,
        name="conversation_delete",
    ),
]
