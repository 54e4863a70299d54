"""Spaces, documents and search by REST."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.base import principal_of
from accounts.api.paging import Cursor, page
from accounts.api.problems import MEDIA_TYPE, problem
from accounts.api.serializers import DeleteIn
from accounts.permissions import allowed, fetch
from accounts.types import KeyScope, Principal, Right
from knowledge import queries, services
from knowledge.api import serializers
from knowledge.errors import BackendDown, RefusedInput
from knowledge.models import Document as DocumentRow
from knowledge.models import Space as SpaceRow
from knowledge.search import search
from knowledge.shapes import document_json, found_json


def get_space(principal: Principal, right: Right, name: str) -> SpaceRow:
    """A space by slug or id."""
    try:
        lookup: dict[str, object] = {"uid": UUID(name)}
    except ValueError:
        lookup = {"slug": name}
    return fetch(principal, right, SpaceRow.objects.all(), **lookup)


def _get_document(request: Request, right: Right, space: str, uid: UUID) -> DocumentRow:
    return queries.get_document(get_space(principal_of(request), right, space), uid)


class Spaces(APIView):
    @extend_schema(operation_id="list_spaces", responses=serializers.SpaceOut(many=True))
    def get(self, request: Request) -> Response:
        found = allowed(principal_of(request), Right.READ_SPACE, SpaceRow.objects.all())
        return page(self, found, serializers.SpaceOut)

    @extend_schema(
        operation_id="create_space", request=serializers.SpaceIn, responses={201: serializers.SpaceOut}
    )
    def post(self, request: Request) -> Response:
        wanted = serializers.SpaceIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        space = services.create_space(principal_of(request), **wanted.validated_data)
        return Response(serializers.SpaceOut(space).data, status=201)


class Space(APIView):
    @extend_schema(operation_id="get_space", responses=serializers.SpaceOut)
    def get(self, request: Request, space: str) -> Response:
        return Response(serializers.SpaceOut(get_space(principal_of(request), Right.READ_SPACE, space)).data)

    @extend_schema(
        operation_id="change_space", request=serializers.SpaceChange, responses=serializers.SpaceOut
    )
    def patch(self, request: Request, space: str) -> Response:
        found = get_space(principal_of(request), Right.MANAGE_SPACE, space)
        wanted = serializers.SpaceChange(data=request.data)
        wanted.is_valid(raise_exception=True)
        changed = services.change_space(principal_of(request), found.slug, **wanted.validated_data)
        return Response(serializers.SpaceOut(changed).data)

    @extend_schema(operation_id="delete_space", request=DeleteIn, responses={204: None})
    def delete(self, request: Request, space: str) -> Response:
        found = get_space(principal_of(request), Right.MANAGE_SPACE, space)
        wanted = DeleteIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        services.delete_space(principal_of(request), found.slug, confirm=wanted.validated_data["confirm"])
        return Response(status=204)


class Documents(APIView):
    parser_classes = [JSONParser, MultiPartParser, FormParser]

    @extend_schema(operation_id="list_documents", responses=serializers.DocumentOut(many=True))
    def get(self, request: Request, space: str) -> Response:
        found = get_space(principal_of(request), Right.READ_SPACE, space)
        cursor = Cursor()
        rows = cursor.paginate_queryset(queries.documents_of(found), request, self) or []
        shown = [document_json(row) for row in queries.document_rows(rows)]
        return cursor.get_paginated_response(shown)

    @extend_schema(
        operation_id="upload_document",
        request=serializers.DocumentIn,
        responses={201: serializers.DocumentOut, 200: serializers.DocumentOut},
    )
    def post(self, request: Request, space: str) -> Response:
        found = get_space(principal_of(request), Right.EDIT_SPACE, space)
        wanted = serializers.DocumentIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        words = wanted.validated_data
        file = words.get("file")
        title = words["title"] or ("" if file else "untitled")
        try:
            done = services.upload_document(
                principal_of(request),
                found,
                words["filename"] or (file.name if file else f"{words['external_id'] or title}.txt"),
                file.read() if file else words["text"].encode("utf-8", "replace"),
                title=title,
                external_id=words["external_id"],
                uri=words["uri"],
                media_type=(file.content_type or "") if file else "text/plain",
            )
        except RefusedInput as error:
            return _refused(error)
        shown = document_json(queries.document_rows([done.document])[0])
        return Response({**shown, "duplicate": done.is_duplicate}, status=200 if done.is_duplicate else 201)


def _refused(error: RefusedInput, status: int = 400) -> Response:
    return Response(problem(error.code, status, None, **error.params), status=status, content_type=MEDIA_TYPE)


class Document(APIView):
    @extend_schema(operation_id="get_document", responses=serializers.DocumentOut)
    def get(self, request: Request, space: str, uid: UUID) -> Response:
        found = _get_document(request, Right.READ_SPACE, space, uid)
        return Response(document_json(queries.document_rows([found])[0]))

    @extend_schema(operation_id="delete_document", request=DeleteIn, responses={204: None})
    def delete(self, request: Request, space: str, uid: UUID) -> Response:
        found = _get_document(request, Right.EDIT_SPACE, space, uid)
        wanted = DeleteIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        services.delete_document(principal_of(request), found, confirm=wanted.validated_data["confirm"])
        return Response(status=204)


class DocumentRetry(APIView):
    @extend_schema(operation_id="retry_document", request=None, responses={202: serializers.DocumentOut})
    def post(self, request: Request, space: str, uid: UUID) -> Response:
        found = _get_document(request, Right.EDIT_SPACE, space, uid)
        try:
            services.retry_version(principal_of(request), queries.latest_version(found))
        except RefusedInput as error:
            return _refused(error, 409)
        return Response(document_json(queries.document_rows([found])[0]), status=202)


class DocumentOriginal(APIView):
    @extend_schema(
        operation_id="download_original", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, space: str, uid: UUID) -> HttpResponse:
        found = _get_document(request, Right.READ_SPACE, space, uid)
        data = services.read_original(principal_of(request), queries.latest_version(found))
        return HttpResponse(data, content_type="application/octet-stream")


class Search(APIView):
    @extend_schema(operation_id="search", request=serializers.SearchIn, responses=serializers.FoundOut)
    def post(self, request: Request) -> Response:
        wanted = serializers.SearchIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        words, principal = wanted.validated_data, principal_of(request)
        spaces = [get_space(principal, Right.READ_SPACE, name) for name in dict.fromkeys(words["spaces"])]
        try:
            found = search(principal, spaces, words["query"], limit=words["limit"])
        except BackendDown:
            return Response(problem("backend_down", 503), status=503, content_type=MEDIA_TYPE)
        return Response(found_json(found, trace=words["trace"] and KeyScope.TRACE in principal.scopes))
