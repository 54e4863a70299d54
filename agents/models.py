"""Who answers: agents, and what was said to them. Words are sealed with the agent's key."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.grants import Grant
from accounts.models import ApiKey, Member
from accounts.sealed import SealedJson, SealedText
from accounts.tenancy import TenantForeignKey, TenantModel
from knowledge.models import Space


class Agent(TenantModel):
    """Answers from some spaces with some model, or with none: then it quotes."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, allow_unicode=True)
    restricted = models.BooleanField(default=False)
    spaces = models.ManyToManyField(Space, through="AgentSpace", related_name="+")
    model_base_url = models.CharField(max_length=300, blank=True)  # empty: the extractive answerer
    model_name = models.CharField(max_length=120, blank=True)
    temperature = models.FloatField(default=0.0)
    max_tokens = models.PositiveIntegerField(default=800)
    context_tokens = models.PositiveIntegerField(default=3000)
    language = models.CharField(max_length=8, blank=True)  # empty: the question's
    model_key_sealed = models.BinaryField(default=b"")
    welcome_sealed = models.BinaryField(default=b"")
    instructions_sealed = models.BinaryField(default=b"")
    examples_sealed = models.BinaryField(default=b"")
    created_at = models.DateTimeField(auto_now_add=True)

    model_key = SealedText("model_key_sealed")
    welcome = SealedText("welcome_sealed")
    instructions = SealedText("instructions_sealed")
    examples = SealedJson("examples_sealed")  # questions offered on an empty chat: a list of texts

    class Meta(TenantModel.Meta):
        default_permissions = ()
        permissions = [("ask_agent", "ask"), ("manage_agent", "manage")]
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="agents_agent_slug")]

    def seal_scope(self) -> tuple[str, int]:
        return "tenant", 0

    def seal_place(self) -> str:
        return str(self.uid)


class AgentUserObjectPermission(Grant):
    content_object = TenantForeignKey(Agent, related_name="+")


class AgentSpace(TenantModel):
    agent = TenantForeignKey(Agent, related_name="+")
    space = TenantForeignKey(Space, related_name="agentspace")
    order = models.PositiveSmallIntegerField(default=0)

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["agent", "space"], name="agents_agentspace_once")]


class WithAgent(TenantModel):
    """A row sealed with its agent's key."""

    agent = TenantForeignKey(Agent, related_name="+")

    class Meta(TenantModel.Meta):
        abstract = True

    def seal_scope(self) -> tuple[str, int]:
        return "agent", self.agent_id

    def seal_place(self) -> str:
        return str(self.uid)


class Conversation(WithAgent):
    """Turns that belong together. A member's own, or a key's."""

    member = TenantForeignKey(Member, null=True, related_name="+")
    key = TenantForeignKey(ApiKey, null=True, related_name="+")
    title_sealed = models.BinaryField(default=b"")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    title = SealedText("title_sealed")

    class Meta(WithAgent.Meta):
        indexes = [models.Index(fields=["agent", "-updated_at"], name="agents_conversation_recent")]


class Message(WithAgent):
    """A visitor's words, or an answer: `answer` is the native object as it was given."""

    conversation = TenantForeignKey(Conversation, related_name="messages")
    role = models.CharField(max_length=6)  # user, model
    status = models.CharField(max_length=12, blank=True)
    text_sealed = models.BinaryField(default=b"")
    answer_sealed = models.BinaryField(default=b"")
    trace_sealed = models.BinaryField(default=b"")
    space_ids = ArrayField(models.BigIntegerField(), default=list)  # whose words the answer holds
    created_at = models.DateTimeField(auto_now_add=True)

    text = SealedText("text_sealed")
    answer = SealedJson("answer_sealed")
    trace = SealedJson("trace_sealed")

    class Meta(WithAgent.Meta):
        indexes = [models.Index(fields=["conversation", "created_at"], name="agents_message_order")]
