"""Everything that can go wrong in agents, as one tree.

AgentsError
 +- ModelDown      the chat model cannot be reached, is too slow, or broke off; `retryable` says whether later may help
"""

from __future__ import annotations


class AgentsError(Exception):
    """Root of the tree. Messages hold no words of a conversation and no key."""


class ModelDown(AgentsError):
    """The chat model did not answer. `reason` is for logs and traces."""

    def __init__(self, reason: str, *, retryable: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.retryable = reason, retryable
