"""Shapes of the keys and members doors of the API."""

from __future__ import annotations

from rest_framework import serializers

from accounts.types import KeyScope, Role

ROLES = [role.value for role in Role]


class DeleteIn(serializers.Serializer[object]):
    confirm = serializers.CharField(help_text="The name or title of what is deleted.")


class KeyIn(serializers.Serializer[object]):
    name = serializers.CharField(max_length=120)
    scopes = serializers.ListField(
        child=serializers.ChoiceField([scope.value for scope in KeyScope]), min_length=1
    )
    agent = serializers.UUIDField(required=False, allow_null=True)
    origins = serializers.ListField(child=serializers.CharField(max_length=200), required=False, default=list)


class KeyOut(serializers.Serializer[object]):
    id = serializers.UUIDField(source="uid")
    name = serializers.CharField()
    prefix = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    agent = serializers.UUIDField(source="agent_uid", allow_null=True)
    origins = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class KeyMade(KeyOut):
    secret = serializers.CharField(help_text="The key itself. It is shown this once.")


class MemberOut(serializers.Serializer[object]):
    id = serializers.UUIDField(source="uid")
    email = serializers.EmailField(source="user.email")
    name = serializers.CharField(source="user.name")
    role = serializers.ChoiceField(ROLES)
    joined_at = serializers.DateTimeField()


class MemberRole(serializers.Serializer[object]):
    role = serializers.ChoiceField(ROLES)


class InvitationIn(serializers.Serializer[object]):
    email = serializers.EmailField()
    role = serializers.ChoiceField(ROLES)


class InvitationMade(serializers.Serializer[object]):
    id = serializers.UUIDField(source="uid")
    email = serializers.EmailField()
    role = serializers.ChoiceField(ROLES)
    expires_at = serializers.DateTimeField()
    link = serializers.CharField(help_text="Where the invited person joins. It is shown this once.")
