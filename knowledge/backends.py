"""Which embedding backend serves, from the settings; one client a process."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings

from knowledge.embedding import Embedder, EmbeddingSettings, get_embedder


def embedding_settings() -> EmbeddingSettings:
    if settings.EMBEDDING_URL:
        return EmbeddingSettings(
            url=settings.EMBEDDING_URL,
            model=settings.EMBEDDING_MODEL,
            key=settings.EMBEDDING_KEY,
            query_prefix=settings.EMBEDDING_QUERY_PREFIX,
            passage_prefix=settings.EMBEDDING_PASSAGE_PREFIX,
            seconds=settings.EMBEDDING_SECONDS,
        )
    address = settings.EMBEDDER
    return EmbeddingSettings(
        url="http://embedder/v1",
        model="multilingual-e5-small",
        key=address.token,
        socket=address.socket,
        bundled=True,
    )


@lru_cache(maxsize=4)
def _client(found: EmbeddingSettings) -> Embedder:
    return get_embedder(found)


def embedder() -> Embedder:
    return _client(embedding_settings())
