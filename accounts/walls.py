"""SQL of the wall for migrations: row-level security, and composite foreign keys that carry the tenant."""

from __future__ import annotations

from django.db import migrations

_TENANT = "NULLIF(current_setting('app.tenant', true), '')::bigint"


def wall(*tables: str) -> list[migrations.RunSQL]:
    """Operations that put tenant-owned tables behind row-level security and let children point at (id, tenant)."""
    return [
        migrations.RunSQL(statement, migrations.RunSQL.noop)
        for table in tables
        for statement in (
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_wall UNIQUE (id, tenant_id)",
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant_wall ON {table} USING (tenant_id = {_TENANT}) WITH CHECK (tenant_id = {_TENANT})",
        )
    ]


def parents(table: str, *, set_null: tuple[str, ...] = (), **columns: str) -> list[migrations.RunSQL]:
    """Operations for composite foreign keys: `columns` maps a column to its parent table, where the pair
    (column, tenant_id) must exist. Deleting the parent deletes the row, or clears a column of `set_null`.
    """
    statements = []
    for column, parent in columns.items():
        act = f"SET NULL ({column})" if column in set_null else "CASCADE"
        statements.append(
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_wall FOREIGN KEY ({column}, tenant_id) "
            f"REFERENCES {parent} (id, tenant_id) ON DELETE {act} NOT DEFERRABLE"
        )
    return [migrations.RunSQL(statement, migrations.RunSQL.noop) for statement in statements]


def tenant_function(
    name: str, arguments: str, returns: str, body: str, *, language: str = "sql"
) -> migrations.RunSQL:
    """A function that runs as the owner, past row-level security: an index under a policy cannot use operators
    that are not leakproof. Its body must carry the tenant condition itself; `{tenant}` in it is that expression.
    """
    return migrations.RunSQL(
        f"CREATE OR REPLACE FUNCTION {name}({arguments}) RETURNS {returns} LANGUAGE {language} SECURITY DEFINER "
        f"SET search_path = public, pg_temp AS $body$ {body.replace('{tenant}', _TENANT)} $body$",
        f"DROP FUNCTION IF EXISTS {name}",
    )
