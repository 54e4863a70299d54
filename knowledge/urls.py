from django.urls import path

from knowledge import views

console = [
    path("spaces/", views.spaces, name="spaces"),
    path("spaces/create/", views.space_create, name="space_create"),
    path("spaces/<str:space>/", views.space, name="space"),
    path("spaces/<str:space>/change/", views.space_change, name="space_change"),
    path("spaces/<str:space>/delete/", views.space_delete, name="space_delete"),
    path("spaces/<str:space>/upload/", views.document_upload, name="document_upload"),
    path("spaces/<str:space>/documents/<uuid:uid>/", views.document, name="document"),
    path("spaces/<str:space>/documents/<uuid:uid>/delete/", views.document_delete, name="document_delete"),
    path("spaces/<str:space>/documents/<uuid:uid>/retry/", views.document_retry, name="document_retry"),
    path("spaces/<str:space>/documents/<uuid:uid>/cancel/", views.document_cancel, name="document_cancel"),
    path(
        "spaces/<str:space>/documents/<uuid:uid>/original/", views.document_original, name="document_original"
    ),
    path("spaces/<str:space>/versions/<uuid:uid>/passage/", views.passage, name="passage"),
]
