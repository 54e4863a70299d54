"""Verbs of knowledge: each owns its permission, transaction and audit row, and ticks the queue on commit."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import PurePath
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts import audit
from accounts.crypto import ScopeKeys
from accounts.errors import Absent, Refused
from accounts.keys import destroy_scope, scope_keys
from accounts.models import Member, User
from accounts.permissions import fetch, grant, require, revoke
from accounts.types import Principal, Right
from knowledge import jobs
from knowledge.errors import DocumentBusy
from knowledge.files import ORIGINAL, drop_files, keep_file, read_file
from knowledge.index_builder import drop_index
from knowledge.ingest import OPEN_STATES, remove_chunks
from knowledge.models import Document, Space, StagedVector, StoredFile, VectorSet, Version, VersionState
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import check_size, recognise
from knowledge.tasks import tick_on_commit
from knowledge.text.normalise import clean, match_key

_SPACE_RIGHTS = (Right.READ_SPACE, Right.EDIT_SPACE, Right.MANAGE_SPACE)
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of a file: its document and version; `is_duplicate` where the space has these bytes already."""

    document: Document
    version: Version
    is_new: bool
    is_duplicate: bool = False


def _free_slug(wanted: str) -> str:
    base = slugify(wanted, allow_unicode=True)[:50] or f"space-{secrets.token_hex(3)}"
    slug, number = base, 2
    while Space.objects.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug


@transaction.atomic
def create_space(principal: Principal, name: str, *, slug: str = "", restricted: bool = False) -> Space:
    """A new space with its keys; who makes it may manage it."""
    require(principal, Right.CREATE_SPACE)
    name = name.strip()
    if not name:
        raise Refused("name_missing", "name")
    if slug and Space.objects.filter(slug=slug).exists():
        raise Refused("slug_taken", "slug")
    space = Space(name=name, slug=slug or _free_slug(name), restricted=restricted)
    space.save()
    scope_keys("space", space.id)
    grant(User.objects.get(pk=principal.user_id), Right.MANAGE_SPACE, space)
    audit.record(principal, "create_space", space)
    return space


@transaction.atomic
def change_space(
    principal: Principal, slug: str, *, name: str | None = None, restricted: bool | None = None
) -> Space:
    """Change what is given; None leaves a thing as it is."""
    space = fetch(principal, Right.MANAGE_SPACE, Space.objects.all(), slug=slug)
    space.name = space.name if name is None else name.strip()
    if not space.name:
        raise Refused("name_missing", "name")
    space.restricted = space.restricted if restricted is None else restricted
    space.save(update_fields=["name", "restricted"])
    audit.record(principal, "change_space", space, restricted=space.restricted)
    return space


@transaction.atomic
def share_space(principal: Principal, slug: str, member_uid: UUID, right: Right | None) -> None:
    """Give a member a right on one space, restricted or not; None takes all grants back."""
    space = fetch(principal, Right.MANAGE_SPACE, Space.objects.all(), slug=slug)
    member = Member.objects.select_related("user").filter(uid=member_uid).first()
    if member is None:
        raise Absent
    for given in _SPACE_RIGHTS:
        revoke(member.user, given, space)
    if right is not None:
        if right not in _SPACE_RIGHTS:
            raise Refused("bad_role", "right")
        grant(member.user, right, space)
    audit.record(principal, "share_space", space, right=right.value if right else None)


@transaction.atomic
def delete_space(principal: Principal, slug: str, *, confirm: str) -> None:
    """Delete a space with all that is in it, and the key it is sealed with. `confirm` repeats its name."""
    space = fetch(principal, Right.MANAGE_SPACE, Space.objects.all(), slug=slug)
    if confirm.strip() != space.name:
        raise Refused("name_does_not_match", "confirm")
    audit.record(principal, "delete_space", space)
    list(Document.objects.select_for_update(no_key=True).filter(space=space).order_by("id").values_list("id"))
    drop_files(list(StoredFile.objects.filter(space=space).values_list("key", flat=True)))
    indexed = list(VectorSet.objects.filter(space=space, indexed=True))
    destroy_scope("space", space.id)
    Space.objects.filter(id=space.id).delete()
    for found in indexed:
        transaction.on_commit(lambda found=found: drop_index(found))  # type: ignore[misc]


def _checked(filename: str, data: bytes) -> str:
    """The file name, cleaned. Raises UnreadableFile before anything is kept."""
    name = clean(PurePath(filename.replace("\\", "/")).name).strip()[-_LONGEST_NAME:] or "untitled"
    check_size(data, Limits(bytes=settings.MAX_UPLOAD_BYTES))
    recognise(name, data)
    return name


def upload_document(
    principal: Principal,
    space: Space,
    filename: str,
    data: bytes,
    *,
    title: str = "",
    external_id: str = "",
    uri: str = "",
    media_type: str = "",
    folder: str = "",
) -> Upload:
    """Take a file in and queue its ingestion. A new file under an old name is a new version of that document; the
    same bytes in the same space are recognised. Raises UnreadableFile for what cannot be read at all.

    `folder` is the path that a dropped folder gave: two files of one name in two folders are two documents.
    """
    require(principal, Right.EDIT_SPACE, space)
    name = _checked(filename, data)
    keys = scope_keys("space", space.id)
    content_hash = keys.hash(data)
    named = f"name:{external_id}" if external_id else f"name:\0{folder}/{match_key(name)}"
    name_hash = keys.hash(named.encode())
    with transaction.atomic():
        _one_at_a_time(keys, name_hash, content_hash)
        document = Document.objects.filter(space=space, name_hash=name_hash).first()
        same = _same_content(space, content_hash, document, anywhere=not external_id)
        if same is not None:
            return Upload(same.document, same, is_new=False, is_duplicate=True)
        is_new = document is None
        if document is None:
            document = Document(space=space, name_hash=name_hash)
            document.title, document.filename = title or PurePath(name).stem, name
            document.external_id, document.uri = external_id, uri
            document.external_hash = keys.hash(external_id.encode()) if external_id else None
            document.save()
        elif title and title != document.title:
            document.title = title
            document.save(update_fields=["title_sealed"])
        version = _add_version(principal, document, content_hash, data, media_type)
        audit.record(principal, "upload_document", document, version=version.number)
        jobs.add_job(jobs.INGEST, space=space, version=version)
        tick_on_commit()
    return Upload(document, version, is_new)


def _one_at_a_time(keys: ScopeKeys, *hashes: bytes) -> None:
    """Hold back, until the transaction ends, whoever uploads the same name or the same bytes into this space."""
    locks = sorted(keys.term(one.hex()) for one in hashes)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(held) FROM unnest(%s::bigint[]) AS held", [locks])


def _same_content(
    space: Space, content_hash: bytes, document: Document | None, *, anywhere: bool
) -> Version | None:
    """A newest version that holds these bytes already: the document's own, or where `anywhere` another one's. What
    comes with an id of its own is a document of its own, whatever it says."""
    if document is None and not anywhere:
        return None
    held = Version.objects.select_related("document").filter(space=space, content_hash=content_hash)
    held = held.exclude(state__in=[VersionState.FAILED, VersionState.CANCELLED])
    for version in held.order_by("-number"):
        if document is None or version.document_id == document.id:
            newest = Version.objects.filter(document_id=version.document_id).order_by("-number").first()
            if newest is not None and newest.id == version.id:
                return version
    return None


def _add_version(
    principal: Principal, document: Document, content_hash: bytes, data: bytes, media_type: str
) -> Version:
    last = Version.objects.filter(document=document).order_by("-number").first()
    version = Version(
        space_id=document.space_id,
        document=document,
        number=last.number + 1 if last else 1,
        content_hash=content_hash,
        media_type=media_type[:120],
        size=len(data),
        created_by_id=principal.member_id,
    )
    version.save()
    keep_file(version, ORIGINAL, data)
    return version


@transaction.atomic
def retry_version(principal: Principal, version: Version) -> None:
    """Queue a failed, partial or cancelled version again, from its first step."""
    require(principal, Right.EDIT_SPACE, version.space)
    ended = Version.objects.filter(id=version.id).exclude(state__in=OPEN_STATES)
    if not ended.update(
        state=VersionState.QUEUED, step="parse", error_code="", error_params={}, finished_at=None
    ):
        raise DocumentBusy("document_busy")
    audit.record(principal, "retry_version", version)
    jobs.add_job(jobs.INGEST, space=version.space, version=version)
    tick_on_commit()


@transaction.atomic
def cancel_version(principal: Principal, version: Version) -> None:
    """Stop an ingestion; what was published before goes on serving."""
    require(principal, Right.EDIT_SPACE, version.space)
    jobs.cancel_jobs(version)
    Version.objects.filter(id=version.id, state__in=OPEN_STATES).update(
        state=VersionState.CANCELLED, finished_at=timezone.now()
    )
    StagedVector.objects.filter(version=version).delete()
    audit.record(principal, "cancel_version", version)


@transaction.atomic
def delete_document(principal: Principal, document: Document, *, confirm: str) -> None:
    """Delete a document with its versions, files and all that could be found of it. `confirm` repeats its title."""
    require(principal, Right.EDIT_SPACE, document.space)
    if match_key(confirm) != match_key(document.title):
        raise Refused("name_does_not_match", "confirm")
    if not Document.objects.select_for_update(no_key=True).filter(id=document.id):
        raise Absent
    remove_chunks(document)
    drop_files(list(StoredFile.objects.filter(version__document=document).values_list("key", flat=True)))
    audit.record(principal, "delete_document", document)
    Document.objects.filter(id=document.id).delete()


def read_original(principal: Principal, version: Version) -> bytes:
    """The file as it was put in."""
    require(principal, Right.READ_SPACE, version.space)
    data = read_file(version, ORIGINAL)
    if data is None:
        raise Absent
    return data
