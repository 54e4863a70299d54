"""The sentences behind error codes: a title, and what to do, in the asker's language."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "absent": (_("Not found"), _("There is nothing here that you can see. Check the id and the key.")),
    "unauthenticated": (_("No valid key"), _("Send a valid key in the header: Authorization: Bearer cw_…")),
    "forbidden": (_("Not allowed"), _("Your role or key does not have the right for this. Ask an owner.")),
    "origin_not_allowed": (
        _("Origin not allowed"),
        _("Add this origin to the key, or call from your server."),
    ),
    "invalid": (_("The request has errors"), _("Correct the fields listed in errors and send it again.")),
    "rate_limited": (_("Too many requests"), _("Wait for the seconds in Retry-After and send it again.")),
    "slug_taken": (_("This name is taken"), _("Choose another name.")),
    "email_taken": (_("This address has an account"), _("Sign in instead.")),
    "bad_email": (_("Not an e-mail address"), _("Write it as name@example.com.")),
    "weak_password": (_("This password is too weak"), "%(reason)s"),
    "bad_role": (_("Unknown role"), _("Choose one of the roles in the list.")),
    "already_member": (_("Already a member"), _("This person is a member here; change the role instead.")),
    "wrong_person": (
        _("This invitation is for another address"),
        _("Sign out, then open the invitation again with the invited address."),
    ),
    "sign_in_first": (_("This address has an account"), _("Sign in, then open the invitation again.")),
    "last_owner": (_("The last owner stays"), _("Make another member an owner first.")),
    "bad_scope": (_("Unknown scope"), _("Choose scopes from the list.")),
    "no_scope": (_("No scope chosen"), _("Choose at least one thing that the key may do.")),
    "scope_beyond_own": (_("More than this key may give"), _("Choose among the scopes of the key you use.")),
    "name_missing": (_("No name"), _("Give it a name.")),
    "name_does_not_match": (_("The name does not match"), _("Type the name exactly as shown to confirm.")),
}


def sentence(code: str, **params: str | int) -> tuple[str, str]:
    """Title and advice of a code, filled in. An unknown code is a programming error and shows itself."""
    title, advice = SENTENCES[code]
    return str(title) % params, str(advice) % params


def register(sentences: dict[str, tuple[str | Promise, str | Promise]]) -> None:
    """Add a higher app's sentences; called when that app is loaded."""
    SENTENCES.update(sentences)
