from django.urls import path

from accounts import views

public = [
    path("", views.home, name="home"),
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("invitations/<str:secret>/", views.invitation, name="invitation"),
    path("health/", views.health, name="health"),
]

console = [
    path("members/", views.members, name="members"),
    path("members/invite/", views.member_invite, name="member_invite"),
    path("members/<uuid:uid>/role/", views.member_role, name="member_role"),
    path("members/<uuid:uid>/remove/", views.member_remove, name="member_remove"),
    path("invitations/<uuid:uid>/withdraw/", views.invitation_withdraw, name="invitation_withdraw"),
    path("keys/", views.keys, name="keys"),
    path("keys/create/", views.key_create, name="key_create"),
    path("keys/<uuid:uid>/revoke/", views.key_revoke, name="key_revoke"),
    path("audit/", views.audit, name="audit"),
]
