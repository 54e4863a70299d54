"""Everything that can go wrong in accounts, as one tree.

AccountsError
 +- NoScope       a tenant-owned row was asked for with no tenant scope open (a programming error)
 +- WrongScope    a row of one tenant was about to be written under another's scope (a programming error)
 +- Absent        it is not there, or the asker may not know that it is: 404
 +- Forbidden     the asker may see it but not do this to it: 403
 +- Refused       input that is refused; `code` names the sentence shown: 400
 +- KeyUnavailable  a key that is needed to decrypt is missing or does not fit
"""

from __future__ import annotations


class AccountsError(Exception):
    """Root of the tree."""


class NoScope(AccountsError):
    """A tenant-owned row was asked for with no tenant scope open."""


class WrongScope(AccountsError):
    """A row of one tenant was about to be written or deleted under another tenant's scope."""


class Absent(AccountsError):
    """Not there, or not to be known of: a stranger and a wrong id look the same."""


class Forbidden(AccountsError):
    """The asker may see the thing but lacks the right for this act."""


class Refused(AccountsError):
    """Refused input; `code` is stable, `field` names the input, `params` fill in the sentence."""

    def __init__(self, code: str, field: str = "", **params: str | int) -> None:
        super().__init__(code)
        self.code, self.field, self.params = code, field, params


class KeyUnavailable(AccountsError):
    """A master, tenant or scope key is missing, or a ciphertext does not fit the key and place."""
