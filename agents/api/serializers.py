"""Shapes of the agents and answers doors of the API (spec 08)."""

from __future__ import annotations

from rest_framework import serializers

from agents.asking import LONGEST_QUESTION
from agents.types import Status

LANGUAGES = ["", "en", "ko", "zh", "ja", "es", "de", "fr"]
STATUSES = [status.value for status in Status]
_ROLES = ["user", "model", "assistant"]


class TurnIn(serializers.Serializer[object]):
    role = serializers.ChoiceField(_ROLES)
    text = serializers.CharField(max_length=32_000)


class GenerationIn(serializers.Serializer[object]):
    temperature = serializers.FloatField(min_value=0, max_value=2, required=False)
    max_tokens = serializers.IntegerField(min_value=1, max_value=32_000, required=False)


class AnswerIn(serializers.Serializer[object]):
    """`question`, or `messages` whose last one is the question."""

    agent = serializers.CharField(required=False, allow_blank=True, default="")
    question = serializers.CharField(required=False, max_length=LONGEST_QUESTION)
    messages = TurnIn(many=True, required=False)
    conversation = serializers.UUIDField(required=False, allow_null=True, default=None)
    store = serializers.BooleanField(required=False, default=True)
    language = serializers.ChoiceField(LANGUAGES, required=False, default="")
    generation = GenerationIn(required=False)
    stream = serializers.BooleanField(required=False, default=False)
    trace = serializers.BooleanField(required=False, default=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if not attrs.get("question") and not attrs.get("messages"):
            raise serializers.ValidationError({"question": "give question, or messages"})
        return attrs


class BoxOut(serializers.Serializer[object]):
    page = serializers.IntegerField()
    box = serializers.ListField(child=serializers.FloatField(), min_length=4, max_length=4)


class CitationOut(serializers.Serializer[object]):
    n = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    quote = serializers.CharField()
    quote_start = serializers.IntegerField()
    quote_end = serializers.IntegerField()
    page = serializers.IntegerField(allow_null=True)
    boxes = BoxOut(many=True)
    link = serializers.CharField(allow_blank=True)


class SourceOut(serializers.Serializer[object]):
    id = serializers.CharField()
    kind = serializers.CharField()
    grade = serializers.CharField(allow_null=True, help_text="read or found, for web sources.")
    index = serializers.IntegerField()
    title = serializers.CharField(allow_blank=True)
    author = serializers.CharField(allow_null=True)
    uri = serializers.CharField(allow_null=True)
    domain = serializers.CharField(allow_null=True)
    attributes = serializers.DictField(child=serializers.CharField())
    text = serializers.CharField()
    document = serializers.UUIDField()
    version = serializers.UUIDField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    space = serializers.UUIDField()
    page = serializers.IntegerField(allow_null=True)
    boxes = BoxOut(many=True)
    section = serializers.ListField(child=serializers.CharField())
    passage_kind = serializers.CharField()
    distance = serializers.FloatField(allow_null=True)
    link = serializers.CharField(allow_blank=True)


class UsageOut(serializers.Serializer[object]):
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()


class AnswerOut(serializers.Serializer[object]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    agent = serializers.CharField()
    model = serializers.CharField()
    conversation = serializers.UUIDField(allow_null=True)
    message = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(STATUSES)
    text = serializers.CharField()
    language = serializers.CharField()
    citations = CitationOut(many=True)
    sources = SourceOut(many=True)
    usage = UsageOut()
    timings_ms = serializers.DictField(child=serializers.FloatField())
    trace = serializers.ListField(child=serializers.DictField(), required=False)


class AgentIn(serializers.Serializer[object]):
    name = serializers.CharField(max_length=120, required=False)
    slug = serializers.SlugField(max_length=60, required=False, allow_unicode=True)
    spaces = serializers.ListField(child=serializers.UUIDField(), required=False)
    welcome = serializers.CharField(max_length=500, required=False, allow_blank=True)
    instructions = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    examples = serializers.ListField(
        child=serializers.CharField(max_length=300), required=False, max_length=6
    )
    language = serializers.ChoiceField(LANGUAGES, required=False)
    restricted = serializers.BooleanField(required=False)
    model_base_url = serializers.CharField(max_length=300, required=False, allow_blank=True)
    model_name = serializers.CharField(max_length=120, required=False, allow_blank=True)
    model_key = serializers.CharField(max_length=300, required=False, allow_blank=True, write_only=True)
    temperature = serializers.FloatField(required=False)
    max_tokens = serializers.IntegerField(required=False)
    context_tokens = serializers.IntegerField(required=False)


class AgentOut(serializers.Serializer[object]):
    id = serializers.UUIDField(source="uid")
    name = serializers.CharField()
    slug = serializers.CharField()
    restricted = serializers.BooleanField()
    language = serializers.CharField()
    welcome = serializers.CharField()
    examples = serializers.ListField(child=serializers.CharField(), allow_null=True)
    model_base_url = serializers.CharField()
    model_name = serializers.CharField()
    temperature = serializers.FloatField()
    max_tokens = serializers.IntegerField()
    context_tokens = serializers.IntegerField()
