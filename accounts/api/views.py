"""Keys and members by REST."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import queries, services
from accounts.api import serializers
from accounts.api.base import principal_of
from accounts.api.paging import page


class Keys(APIView):
    @extend_schema(operation_id="list_keys", responses=serializers.KeyOut(many=True))
    def get(self, request: Request) -> Response:
        return page(self, queries.active_keys(), serializers.KeyOut)

    @extend_schema(operation_id="create_key", request=serializers.KeyIn, responses={201: serializers.KeyMade})
    def post(self, request: Request) -> Response:
        wanted = serializers.KeyIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        words = wanted.validated_data
        key, secret = services.create_key(
            principal_of(request),
            words["name"],
            words["scopes"],
            agent_uid=words.get("agent"),
            origins=words["origins"],
        )
        return Response({**serializers.KeyOut(key).data, "secret": secret}, status=201)


class Key(APIView):
    @extend_schema(operation_id="revoke_key", request=None, responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        services.revoke_key(principal_of(request), uid)
        return Response(status=204)


class Members(APIView):
    @extend_schema(operation_id="list_members", responses=serializers.MemberOut(many=True))
    def get(self, request: Request) -> Response:
        return page(self, queries.members(), serializers.MemberOut)


class Member(APIView):
    @extend_schema(
        operation_id="change_role", request=serializers.MemberRole, responses=serializers.MemberOut
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        queries.get_member(uid)
        wanted = serializers.MemberRole(data=request.data)
        wanted.is_valid(raise_exception=True)
        member = services.change_role(principal_of(request), uid, wanted.validated_data["role"])
        return Response(serializers.MemberOut(member).data)

    @extend_schema(operation_id="remove_member", request=None, responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        services.remove_member(principal_of(request), uid)
        return Response(status=204)


class Invitations(APIView):
    @extend_schema(
        operation_id="invite_member",
        request=serializers.InvitationIn,
        responses={201: serializers.InvitationMade},
    )
    def post(self, request: Request) -> Response:
        wanted = serializers.InvitationIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        found, secret = services.invite_member(principal_of(request), **wanted.validated_data)
        link = request.build_absolute_uri(reverse("invitation", kwargs={"secret": secret}))
        found_words = {
            "id": found.uid,
            "email": found.email,
            "role": found.role,
            "expires_at": found.expires_at,
        }
        return Response({**found_words, "link": link}, status=201)
