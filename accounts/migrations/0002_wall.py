from django.db import migrations

from accounts.walls import parents, tenant_function, wall


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_accounts")]

    operations = [
        *wall(
            "accounts_member",
            "accounts_invitation",
            "accounts_apikey",
            "accounts_auditentry",
            "accounts_tenantkey",
            "accounts_scopekey",
        ),
        *parents("accounts_invitation", set_null=("invited_by_id",), invited_by_id="accounts_member"),
        *parents("accounts_apikey", member_id="accounts_member"),
        *parents(
            "accounts_auditentry",
            set_null=("member_id", "key_id"),
            member_id="accounts_member",
            key_id="accounts_apikey",
        ),
        tenant_function(
            "citewell_tenants_of",
            "person bigint",
            "SETOF bigint",
            "SELECT tenant_id FROM accounts_member WHERE user_id = person",
        ),
        tenant_function(
            "citewell_tenant_of_key",
            "hash bytea",
            "bigint",
            "SELECT tenant_id FROM accounts_apikey WHERE secret_hash = hash",
        ),
        tenant_function(
            "citewell_tenant_of_invitation",
            "hash bytea",
            "bigint",
            "SELECT tenant_id FROM accounts_invitation WHERE secret_hash = hash",
        ),
    ]
