"""Shapes of the spaces, documents and search doors of the API."""

from __future__ import annotations

from rest_framework import serializers

from knowledge.models import VersionState

STATUSES = VersionState.values


class SpaceIn(serializers.Serializer[object]):
    name = serializers.CharField(max_length=120)
    slug = serializers.SlugField(max_length=60, required=False, allow_unicode=True, default="")
    restricted = serializers.BooleanField(required=False, default=False)


class SpaceChange(serializers.Serializer[object]):
    """What is left out stays as it is."""

    name = serializers.CharField(max_length=120, required=False)
    restricted = serializers.BooleanField(required=False)


class SpaceOut(serializers.Serializer[object]):
    id = serializers.UUIDField(source="uid")
    name = serializers.CharField()
    slug = serializers.CharField()
    kind = serializers.CharField()
    restricted = serializers.BooleanField()
    chunks = serializers.IntegerField(source="chunk_count")
    created_at = serializers.DateTimeField()


class DocumentIn(serializers.Serializer[object]):
    """`file` by multipart, or `text` with a title."""

    file = serializers.FileField(required=False)
    text = serializers.CharField(required=False, trim_whitespace=False, max_length=4_000_000)
    title = serializers.CharField(required=False, allow_blank=True, default="", max_length=300)
    filename = serializers.CharField(required=False, allow_blank=True, default="", max_length=255)
    external_id = serializers.CharField(required=False, allow_blank=True, default="", max_length=300)
    uri = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if ("file" in attrs) == ("text" in attrs):
            raise serializers.ValidationError({"file": "give file, or text"})
        return attrs


class VersionOut(serializers.Serializer[object]):
    id = serializers.UUIDField()
    number = serializers.IntegerField()
    status = serializers.ChoiceField(STATUSES)
    step = serializers.CharField()
    error = serializers.CharField(allow_null=True)
    pages = serializers.IntegerField()
    pages_unread = serializers.ListField(child=serializers.IntegerField())
    characters = serializers.IntegerField()
    chunks = serializers.IntegerField()
    vectors = serializers.IntegerField()
    size = serializers.IntegerField()
    format = serializers.CharField(allow_blank=True)
    warnings = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class DocumentOut(serializers.Serializer[object]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    filename = serializers.CharField()
    uri = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(STATUSES)
    percent = serializers.IntegerField()
    detail = serializers.CharField(allow_null=True)
    version = VersionOut()
    created_at = serializers.DateTimeField()
    duplicate = serializers.BooleanField(required=False)


class SearchIn(serializers.Serializer[object]):
    spaces = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=10)
    query = serializers.CharField(max_length=8000)
    limit = serializers.IntegerField(min_value=1, max_value=40, required=False, default=6)
    trace = serializers.BooleanField(required=False, default=False)


class PassageOut(serializers.Serializer[object]):
    text = serializers.CharField()
    document = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    version = serializers.UUIDField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    page = serializers.IntegerField(allow_null=True)
    boxes = serializers.ListField(child=serializers.DictField())
    section = serializers.ListField(child=serializers.CharField())
    distance = serializers.FloatField(allow_null=True)
    pinned = serializers.BooleanField()
    why = serializers.ListField(child=serializers.CharField())


class BaselineOut(serializers.Serializer[object]):
    mean = serializers.FloatField()
    deviation = serializers.FloatField()
    samples = serializers.IntegerField()


class FoundOut(serializers.Serializer[object]):
    passages = PassageOut(many=True)
    baseline = BaselineOut(allow_null=True)
    trace = serializers.ListField(child=serializers.DictField(), required=False)
