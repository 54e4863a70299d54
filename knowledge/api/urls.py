from django.urls import path

from accounts.api.base import api_doors
from accounts.types import KeyScope, Right
from knowledge.api import views

_LIST = (Right.ENTER, KeyScope.SPACES_READ)
_READ = (Right.READ_SPACE, KeyScope.SPACES_READ)
_EDIT = (Right.EDIT_SPACE, KeyScope.SPACES_WRITE)
_MANAGE = (Right.MANAGE_SPACE, KeyScope.SPACES_WRITE)
_CREATE = (Right.CREATE_SPACE, KeyScope.SPACES_WRITE)

urlpatterns = [
    path("search", api_doors(views.Search, POST=(Right.READ_SPACE, KeyScope.SEARCH)), name="api_search"),
    path("spaces", api_doors(views.Spaces, GET=_LIST, POST=_CREATE), name="api_spaces"),
    path(
        "spaces/<str:space>",
        api_doors(views.Space, GET=_READ, PATCH=_MANAGE, DELETE=_MANAGE),
        name="api_space",
    ),
    path(
        "spaces/<str:space>/documents",
        api_doors(views.Documents, GET=_READ, POST=_EDIT),
        name="api_documents",
    ),
    path(
        "spaces/<str:space>/documents/<uuid:uid>",
        api_doors(views.Document, GET=_READ, DELETE=_EDIT),
        name="api_document",
    ),
    path(
        "spaces/<str:space>/documents/<uuid:uid>/retry",
        api_doors(views.DocumentRetry, POST=_EDIT),
        name="api_document_retry",
    ),
    path(
        "spaces/<str:space>/documents/<uuid:uid>/original",
        api_doors(views.DocumentOriginal, GET=_READ),
        name="api_document_original",
    ),
]
