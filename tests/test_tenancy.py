"""The wall, held in Python and in the database."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from accounts.errors import NoScope, WrongScope
from accounts.models import Member, Tenant
from accounts.scope import across_tenants, tenant_scope
from accounts.tenancy import TenantForeignKey, TenantModel
from config import env
from knowledge.models import Document, Space
from tests.factories import Person, make_space

pytestmark = pytest.mark.django_db

TENANT_MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel)]
MAY_LOWER_THE_WALL = {"accounts/scope.py", "accounts/tenancy.py"}


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
class TestEveryTenantModel:
    def test_it_raises_without_a_scope(self, model: type[TenantModel]) -> None:
        for read in (
            lambda: model.objects.all(),
            lambda: model.objects.exists(),
            lambda: model.objects.exclude(pk=1).exists(),
            lambda: model.objects.create(),
            lambda: model._base_manager.all(),
            lambda: model(),
        ):
            with pytest.raises(NoScope):
                read()

    def test_its_rows_are_behind_row_level_security(self, model: type[TenantModel]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT c.relrowsecurity, p.polname, r.rolname = current_user, current_setting('is_superuser') "
                "FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid JOIN pg_roles r ON r.oid = c.relowner "
                "WHERE c.relname = %s",
                [model._meta.db_table],
            )
            assert cursor.fetchall() == [(True, "tenant_wall", False, "off")]

    def test_its_keys_to_other_rows_carry_the_tenant(self, model: type[TenantModel]) -> None:
        columns = {f.column for f in model._meta.concrete_fields if isinstance(f, TenantForeignKey)}
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT a.attname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
                "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] "
                "WHERE k.contype = 'f' AND cardinality(k.conkey) = 2 AND NOT k.condeferrable AND c.relname = %s",
                [model._meta.db_table],
            )
            assert {row[0] for row in cursor.fetchall()} == columns


def test_every_key_between_tenant_models_is_a_tenant_key() -> None:
    for model in TENANT_MODELS:
        for field in model._meta.concrete_fields:
            target = field.related_model
            if isinstance(target, type) and issubclass(target, TenantModel):
                assert isinstance(field, TenantForeignKey), f"{model.__name__}.{field.name}"


def test_a_scope_shows_its_own_rows_alone(alice: Person, charlie: Person) -> None:
    with tenant_scope(charlie.tenant.id):
        make_space("secret")
    with tenant_scope(alice.tenant.id):
        make_space("open")
        assert [space.slug for space in Space.objects.all()] == ["open"]


def test_a_row_of_another_tenant_is_not_saved(alice: Person, charlie: Person) -> None:
    with tenant_scope(alice.tenant.id):
        for tenant_id in (charlie.tenant.id,):
            with pytest.raises(WrongScope):
                Space(tenant_id=tenant_id, name="x", slug="x").save()
            with pytest.raises(WrongScope):
                Space.objects.bulk_create([Space(tenant_id=tenant_id, name="x", slug="x")])
            with pytest.raises(WrongScope):
                Space.objects.create(tenant_id=tenant_id, name="x", slug="x")


def test_the_database_refuses_what_python_let_through(alice: Person, charlie: Person) -> None:
    with tenant_scope(charlie.tenant.id):
        secret = make_space("secret")
    with tenant_scope(alice.tenant.id):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM knowledge_space WHERE id = %s", [secret.id])
            assert cursor.fetchone() == (0,)
            cursor.execute("UPDATE knowledge_space SET name = 'mine' WHERE id = %s", [secret.id])
            assert cursor.rowcount == 0
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO knowledge_space (uid, tenant_id, name, slug, kind, restricted, chunk_tokens, "
                "overlap_tokens, created_at) VALUES (gen_random_uuid(), %s, 'x', 'x', 'documents', false, 1, 1, now())",
                [charlie.tenant.id],
            )


def test_a_child_cannot_point_at_another_tenants_parent(alice: Person, charlie: Person) -> None:
    with tenant_scope(charlie.tenant.id):
        secret = make_space("secret")
    with tenant_scope(alice.tenant.id):
        make_space("mine")
        with pytest.raises(DatabaseError), transaction.atomic():
            Document(space_id=secret.id, name_hash=b"x").save()


def test_without_a_scope_the_database_shows_nothing(alice: Person) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM accounts_member")
        assert cursor.fetchone() == (0,)
    with across_tenants():
        assert not Member.objects.exists()


def test_a_rollback_does_not_leave_another_tenant_open(acme: Tenant, alice: Person, charlie: Person) -> None:
    with tenant_scope(alice.tenant.id):
        make_space("mine")
        with pytest.raises(RuntimeError), transaction.atomic():
            with tenant_scope(charlie.tenant.id):
                assert Member.objects.count() == 1
            raise RuntimeError
        assert Space.objects.count() == 1
        assert {member.user_id for member in Member.objects.all()} == {alice.user.id}


def test_a_generator_finished_outside_sees_nothing(in_acme: Tenant) -> None:
    make_space("mine")
    queryset = Space.objects.all()
    with tenant_scope(in_acme.id + 1_000_000):
        assert list(queryset) == []


def test_the_wall_is_lowered_in_listed_files_alone() -> None:
    found = {
        str(path.relative_to(env.BASE_DIR))
        for app in ("accounts", "knowledge", "agents", "review", "config")
        for path in (env.BASE_DIR / app).rglob("*.py")
        if "across_tenants" in path.read_text()
    }
    assert found == MAY_LOWER_THE_WALL
