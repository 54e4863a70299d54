"""The sentences behind agents' codes."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "question_missing": (_("No question"), _("Write what you want to know.")),
    "question_too_long": (_("The question is too long"), _("At most %(most)s characters; shorten it.")),
    "model_broke_off": (_("The model broke off"), _("Ask again.")),
    "out_of_range": (_("Out of range"), _("Between %(least)s and %(most)s.")),
    "bad_address": (_("Not a web address"), _("It begins with http:// or https://.")),
    "model_incomplete": (
        _("A model needs address and name"),
        _("Fill in both, or leave both empty to quote."),
    ),
    "unknown_space": (_("Unknown space"), _("Choose among the spaces that you may read.")),
    "unknown_member": (_("Unknown member"), _("Choose a member from the list.")),
}
STEPS = {
    "searching": _("Looking through the material"),
    "writing": _("Writing from what was found"),
}
