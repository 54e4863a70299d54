"""What editors keep: spaces, documents and their versions, published chunks, vectors, and the work to be done.

Words are sealed (accounts/sealed.py). Clear are ids, names of spaces, numbers, states, times and vectors.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from pgvector.django import HalfVectorField, VectorField

from accounts.grants import Grant
from accounts.models import Member
from accounts.sealed import SealedJson, SealedText
from accounts.tenancy import TenantForeignKey, TenantModel


class Space(TenantModel):
    """A body of documents that is searched together. A restricted one is open to its grants alone."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, allow_unicode=True)
    kind = models.CharField(max_length=12, default="documents")  # documents, memory
    restricted = models.BooleanField(default=False)
    chunk_tokens = models.PositiveSmallIntegerField(default=320)
    overlap_tokens = models.PositiveSmallIntegerField(default=48)
    chunk_count = models.PositiveBigIntegerField(
        default=0
    )  # published chunks, and their terms in all: BM25 needs both
    term_count = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        default_permissions = ()
        permissions = [("read_space", "read"), ("edit_space", "edit"), ("manage_space", "manage")]
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="knowledge_space_slug")]


class SpaceUserObjectPermission(Grant):
    content_object = TenantForeignKey(Space, related_name="+")


class InSpace(TenantModel):
    """A row sealed with its space's key."""

    space = TenantForeignKey(Space, related_name="+")

    class Meta(TenantModel.Meta):
        abstract = True

    def seal_scope(self) -> tuple[str, int]:
        return "space", self.space_id

    def seal_place(self) -> str:
        return str(self.uid)


class Document(InSpace):
    """A thing an editor put in. Its words are in its versions; readers see `current` only."""

    title_sealed = models.BinaryField(default=b"")
    filename_sealed = models.BinaryField(default=b"")
    uri_sealed = models.BinaryField(default=b"")
    external_id_sealed = models.BinaryField(default=b"")
    name_hash = (
        models.BinaryField()
    )  # keyed hash of the file name: a new file under an old name is a new version
    external_hash = models.BinaryField(null=True)  # keyed hash of the id that the document was ingested with
    current = TenantForeignKey("Version", null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    title = SealedText("title_sealed")
    filename = SealedText("filename_sealed")
    uri = SealedText("uri_sealed")
    external_id = SealedText("external_id_sealed")

    class Meta(InSpace.Meta):
        constraints = [
            models.UniqueConstraint(fields=["space", "name_hash"], name="knowledge_document_name"),
            models.UniqueConstraint(fields=["space", "external_hash"], name="knowledge_document_external"),
        ]


class VersionState(models.TextChoices):
    QUEUED = "queued"
    WORKING = "working"
    READY = "ready"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Version(InSpace):
    """One content of a document, and how far its ingestion got."""

    document = TenantForeignKey(Document, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=VersionState.choices, default=VersionState.QUEUED)
    step = models.CharField(max_length=12, default="parse")  # parse, chunk, embed, publish, done
    content_hash = models.BinaryField()  # keyed hash of the file's bytes: the same file is recognised
    media_type = models.CharField(max_length=120, blank=True)
    size = models.BigIntegerField(default=0)
    format = models.CharField(max_length=20, blank=True)
    encoding = models.CharField(max_length=20, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_params = models.JSONField(default=dict)
    pages = models.PositiveIntegerField(default=0)
    pages_unread = ArrayField(models.PositiveIntegerField(), default=list)
    characters = models.BigIntegerField(default=0)
    chunks = models.PositiveIntegerField(default=0)
    vectors = models.PositiveIntegerField(default=0)
    warnings = ArrayField(models.CharField(max_length=60), default=list)
    created_by = TenantForeignKey(Member, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(InSpace.Meta):
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="knowledge_version_number")
        ]
        indexes = [models.Index(fields=["space", "content_hash"], name="knowledge_version_content")]


class Chunk(InSpace):
    """A published chunk. Only current versions have rows here."""

    document = TenantForeignKey(Document, related_name="+")
    version = TenantForeignKey(Version, related_name="+")
    ordinal = models.PositiveIntegerField()
    text_sealed = models.BinaryField()
    section_sealed = models.BinaryField(default=b"")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    kind = models.CharField(max_length=8)
    lines = models.JSONField(default=list)  # [start, end, page, x0, y0, x1, y1] relative to the chunk
    tokens = models.PositiveIntegerField()
    length = models.PositiveIntegerField(default=0)  # number of index terms, for BM25
    terms = ArrayField(models.BigIntegerField(), default=list)  # keyed hashes, sorted
    counts = ArrayField(models.SmallIntegerField(), default=list)  # of each term

    text = SealedText("text_sealed")
    section = SealedJson("section_sealed")

    class Meta(InSpace.Meta):
        constraints = [models.UniqueConstraint(fields=["version", "ordinal"], name="knowledge_chunk_ordinal")]
        indexes = [
            GinIndex(fields=["terms"], name="knowledge_chunk_terms"),
            models.Index(fields=["space", "document"], name="knowledge_chunk_document"),
        ]

    def seal_place(self) -> str:
        return f"{self.document_id}:{self.version_id}:{self.ordinal}"


class TermCount(TenantModel):
    """In how many published chunks of a space a term stands."""

    space = TenantForeignKey(Space, related_name="+")
    term = models.BigIntegerField()
    chunks = models.IntegerField()

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["space", "term"], name="knowledge_termcount_once")]


class SetState(models.TextChoices):
    BUILDING = "building"
    SERVING = "serving"
    RETIRED = "retired"


class VectorSet(TenantModel):
    """The vectors of a space by one model: what they are measured against, and whether they serve."""

    space = TenantForeignKey(Space, related_name="sets")
    backend = models.CharField(max_length=40, default="bundled")
    model = models.CharField(max_length=120)
    dimension = models.PositiveSmallIntegerField()
    passage_centre = VectorField(null=True)
    query_centre = VectorField(null=True)
    baseline_mean = models.FloatField(null=True)
    baseline_deviation = models.FloatField(null=True)
    baseline_samples = models.PositiveIntegerField(default=0)
    baselines = models.JSONField(default=dict)  # of each language's questions: [mean, deviation]
    state = models.CharField(max_length=10, choices=SetState.choices, default=SetState.BUILDING)
    indexed = models.BooleanField(default=False)  # its partial HNSW index stands
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["space"], condition=models.Q(state="serving"), name="knowledge_vectorset_serving"
            )
        ]


class Vector(TenantModel):
    """The centred unit vector of a published chunk in one set. `content_key` is the keyed hash of what was
    embedded, so that the same content is embedded once a space."""

    set = TenantForeignKey(VectorSet, related_name="+")
    chunk = TenantForeignKey(Chunk, related_name="+")
    content_key = models.BinaryField()
    embedding = HalfVectorField()

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["set", "chunk"], name="knowledge_vector_once")]
        indexes = [models.Index(fields=["set", "content_key"], name="knowledge_vector_content")]


class StagedVector(TenantModel):
    """A vector embedded for a version that is not published yet: makes embedding resumable."""

    set = TenantForeignKey(VectorSet, related_name="+")
    version = TenantForeignKey(Version, related_name="+")
    content_key = models.BinaryField()
    embedding = HalfVectorField()

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["set", "version", "content_key"], name="knowledge_stagedvector_once"
            )
        ]


class JobState(models.TextChoices):
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(TenantModel):
    """The truth about work: the queue only carries ticks. A worker leases a job, runs one bounded step, and
    writes down what comes next; a lease that ran out is taken over."""

    kind = models.CharField(max_length=20)  # ingest, baseline, index, files (knowledge/jobs.py)
    space = TenantForeignKey(Space, null=True, related_name="+")
    version = TenantForeignKey(Version, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.READY)
    attempts = models.PositiveSmallIntegerField(default=0)
    run_after = models.DateTimeField()
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    deadline = models.DateTimeField()
    error_code = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        indexes = [
            models.Index(
                fields=["run_after"],
                condition=models.Q(state__in=["ready", "running"]),
                name="knowledge_job_open",
            )
        ]


class TenantTurn(TenantModel):
    """When a tenant's work was last taken up: the one that waited longest is next (claim_job)."""

    served_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant"], name="knowledge_tenantturn_once")]


class StoredFile(InSpace):
    """An encrypted file in the file store that belongs to a version: the original, or a step's result."""

    version = TenantForeignKey(Version, related_name="files")
    purpose = models.CharField(max_length=12)  # original, parsed, drafts
    key = models.CharField(max_length=200)
    size = models.BigIntegerField()

    class Meta(InSpace.Meta):
        constraints = [
            models.UniqueConstraint(fields=["version", "purpose"], name="knowledge_storedfile_once")
        ]


class DoomedFile(TenantModel):
    """The key of stored bytes whose row is gone: kept until the bytes are deleted too."""

    key = models.CharField(max_length=200)
