"""Writing the blind term index: a space's chunks by keyed hashes of their terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import F

from accounts.crypto import ScopeKeys
from accounts.tenancy import current_tenant_id
from knowledge.models import Space
from knowledge.text.terms import index_terms

_MOST_COUNT = 32_767  # of a smallint


@dataclass(frozen=True, slots=True)
class BlindTerms:
    """`terms` sorted, `counts` of each, `length` the number of all."""

    terms: list[int]
    counts: list[int]
    length: int


def blind(keys: ScopeKeys, *texts: str) -> BlindTerms:
    """The terms of a chunk with its title and section, hashed with its space's index key."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(index_terms(text))
    hashed = Counter({keys.term(term): count for term, count in found.items()})
    terms = sorted(hashed)
    return BlindTerms(terms, [min(hashed[term], _MOST_COUNT) for term in terms], sum(found.values()))


Counted = Iterable[tuple[Sequence[int], int]]  # of each chunk its terms and its length


def count_chunks(space_id: int, *, added: Counted = (), removed: Counted = ()) -> None:
    """Bring the counts of a space up to date. The space's row is touched first and the terms in one order, so that
    two versions published at once cannot wait for each other; call it last in the transaction, which holds the space's
    row until it ends."""
    change: Counter[int] = Counter()
    number = total = 0
    for chunks, sign in ((added, 1), (removed, -1)):
        for terms, length in chunks:
            number, total = number + sign, total + sign * length
            if sign > 0:
                change.update(terms)
            else:
                change.subtract(terms)
    Space.objects.filter(id=space_id).update(
        chunk_count=F("chunk_count") + number, term_count=F("term_count") + total
    )
    changed = sorted(term for term, by in change.items() if by)
    if not changed:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO knowledge_termcount AS held (uid, tenant_id, space_id, term, chunks) "
            "SELECT gen_random_uuid(), %s, %s, changed.term, changed.chunks "
            "FROM unnest(%s::bigint[], %s::int[]) AS changed (term, chunks) ORDER BY changed.term "
            "ON CONFLICT (space_id, term) DO UPDATE SET chunks = held.chunks + EXCLUDED.chunks",
            [current_tenant_id(), space_id, changed, [change[term] for term in changed]],
        )
        fewer = [term for term in changed if change[term] < 0]
        if fewer:
            cursor.execute(
                "DELETE FROM knowledge_termcount WHERE space_id = %s AND term = ANY(%s) AND chunks <= 0",
                [space_id, fewer],
            )
