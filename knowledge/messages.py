"""The sentences behind knowledge's codes."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "empty_file": (_("The file is empty"), _("Check it where it comes from and upload it again.")),
    "unknown_format": (_("This kind of file is not read"), _("These are read: %(formats)s")),
    "not_what_name_says": (
        _("The content is not what the name says"),
        _("It ends in %(ending)s but holds something else. Save it in that format and upload it again."),
    ),
    "damaged": (
        _("The file is damaged"),
        _("Open it where it comes from, save it anew and upload it again."),
    ),
    "needs_password": (
        _("The file is protected with a password"),
        _("Save a copy without a password and upload that."),
    ),
    "no_text": (_("No text was found"), _("Upload a file that holds text.")),
    "needs_ocr": (
        _("The pages are pictures"),
        _(
            "No text was found on %(pages)s pages. Upload a file with a text layer, or one made by text recognition."
        ),
    ),
    "no_pages": (_("The file has no pages"), _("Save it anew and upload it again.")),
    "too_many_pages": (
        _("Too many pages"),
        _("It has %(pages)s pages, at most %(most)s are read. Split it."),
    ),
    "too_large": (
        _("The file is too large"),
        _("At most %(most)s MB are read. Split it or compress its pictures."),
    ),
    "too_large_unpacked": (
        _("The file swells when it is unpacked"),
        _("It unpacks to more than %(most)s MB, which is refused."),
    ),
    "timed_out": (
        _("Reading took too long"),
        _("It was stopped after %(seconds)s seconds. Split the file and retry."),
    ),
    "out_of_memory": (_("Reading took too much memory"), _("Split the file and upload the parts.")),
    "document_busy": (_("The document is being worked on"), _("Wait until it is done, or cancel it first.")),
    "backend_down": (
        _("The embedding model does not answer"),
        _(
            "It is tried again by itself. If this stays, check its address with the command doctor, then retry."
        ),
    ),
    "backend_refused": (
        _("The embedding model refused"),
        _("Check its address, model name and key with the command doctor, then retry."),
    ),
    "dimension_changed": (
        _("The embedding model answers other vectors than before"),
        _("Set back the model that this space was made with, or make a new space."),
    ),
    "model_changed": (
        _("The embedding model is another one than before"),
        _("Set back the model that this space was made with, or make a new space."),
    ),
    "trouble": (_("A step failed"), _("It is tried again by itself. If this stays, retry later.")),
    "worker_died": (
        _("Reading this file ended the worker several times"),
        _("Nothing of it was published. Save the file anew, or split it, and upload it again."),
    ),
    "key_unavailable": (
        _("The key of this space is missing"),
        _("An administrator has to restore the master key."),
    ),
    "original_missing": (_("The original file is missing"), _("Upload the file again.")),
    "parsed_missing": (_("A step's result is missing"), _("Retry: it is made again.")),
    "drafts_missing": (_("A step's result is missing"), _("Retry: it is made again.")),
    "pages_without_text": (_("Some pages are pictures"), _("Their text was not read.")),
    "pages_failed": (_("Some pages could not be read"), _("Retry, or save the file anew.")),
}
