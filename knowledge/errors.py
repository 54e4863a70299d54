"""Everything that can go wrong in knowledge, as one tree.

KnowledgeError
 +- RefusedInput            the person can mend it; `code` names the sentence shown (knowledge/messages.py)
 |   +- UnreadableFile      a parser or the upload check refuses the file
 |   +- DocumentBusy        the document is being worked on
 +- BackendDown             an embedding, vision or reranking backend cannot be reached or talks nonsense
 +- StepFailed              an ingestion step failed for a reason that a retry may mend
 +- Overtaken               the version went on without this worker, or was cancelled or deleted
"""

from __future__ import annotations


class KnowledgeError(Exception):
    """Root of the tree. Messages never hold document text."""


class RefusedInput(KnowledgeError):
    """Input that is refused. `code` is stable and names the translated sentence; `params` fill it in."""

    def __init__(self, code: str, **params: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class UnreadableFile(RefusedInput):
    """The file cannot be read: code is one of empty_file, unknown_format, damaged, needs_password, no_text,
    no_pages, too_many_pages, too_large, too_large_unpacked, not_what_name_says, timed_out, out_of_memory."""


class DocumentBusy(RefusedInput):
    """The document is being worked on; try again when it has ended."""


class BackendDown(KnowledgeError):
    """A model backend is unreachable, slow past its limit, or answered something unusable. `retryable`
    says whether the same call may succeed later."""

    def __init__(self, reason: str, *, retryable: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable


class StepFailed(KnowledgeError):
    """An ingestion step failed; `code` names the sentence shown."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Overtaken(KnowledgeError):
    """The version is no longer where this worker took it up: another one went on with it, or it was cancelled or
    deleted. Nothing is to be done."""
