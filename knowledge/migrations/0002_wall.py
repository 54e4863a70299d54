from django.db import migrations

from accounts.walls import parents, tenant_function, wall

CLAIM = """
WITH waiting AS (
    SELECT job.tenant_id, turn.served_at,
           count(*) FILTER (WHERE job.state = 'running' AND job.leased_until > now()) AS running
    FROM knowledge_job AS job LEFT JOIN knowledge_tenantturn AS turn USING (tenant_id)
    WHERE job.state IN ('ready', 'running')
    GROUP BY job.tenant_id, turn.served_at
), picked AS (
    SELECT job.id FROM knowledge_job AS job JOIN waiting USING (tenant_id)
    WHERE (job.state = 'ready' AND job.run_after <= now())
       OR (job.state = 'running' AND job.leased_until <= now())
    ORDER BY waiting.running, waiting.served_at NULLS FIRST, job.run_after, job.id
    LIMIT 1 FOR UPDATE OF job SKIP LOCKED
), claimed AS (
    UPDATE knowledge_job AS job
    SET attempts = job.attempts + (job.state = 'running')::int, state = 'running',
        lease = gen_random_uuid(), leased_until = now() + make_interval(secs => lease_seconds)
    FROM picked WHERE job.id = picked.id
    RETURNING job.id, job.tenant_id, job.lease
), served AS (
    INSERT INTO knowledge_tenantturn (uid, tenant_id, served_at)
    SELECT gen_random_uuid(), claimed.tenant_id, clock_timestamp() FROM claimed
    ON CONFLICT (tenant_id) DO UPDATE SET served_at = EXCLUDED.served_at
)
SELECT id, tenant_id, lease FROM claimed
"""

HITS = """
SELECT chunk.id, chunk.document_id, sum(wanted.weight)::float8 AS score
FROM unnest(wanted_terms, wanted_weights) AS wanted (term, weight)
JOIN knowledge_chunk AS chunk ON chunk.terms @> ARRAY[wanted.term]
WHERE chunk.space_id = wanted_space AND chunk.tenant_id = {tenant}
GROUP BY chunk.id, chunk.document_id
ORDER BY score DESC, chunk.id
LIMIT most
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_knowledge"), ("accounts", "0002_wall")]

    operations = [
        *wall(
            "knowledge_space",
            "knowledge_spaceuserobjectpermission",
            "knowledge_document",
            "knowledge_version",
            "knowledge_chunk",
            "knowledge_termcount",
            "knowledge_vectorset",
            "knowledge_vector",
            "knowledge_stagedvector",
            "knowledge_job",
            "knowledge_tenantturn",
            "knowledge_storedfile",
        ),
        *parents("knowledge_spaceuserobjectpermission", content_object_id="knowledge_space"),
        *parents(
            "knowledge_document",
            set_null=("current_id",),
            space_id="knowledge_space",
            current_id="knowledge_version",
        ),
        *parents(
            "knowledge_version",
            set_null=("created_by_id",),
            space_id="knowledge_space",
            document_id="knowledge_document",
            created_by_id="accounts_member",
        ),
        *parents(
            "knowledge_chunk",
            space_id="knowledge_space",
            document_id="knowledge_document",
            version_id="knowledge_version",
        ),
        *parents("knowledge_termcount", space_id="knowledge_space"),
        *parents("knowledge_vectorset", space_id="knowledge_space"),
        *parents("knowledge_vector", set_id="knowledge_vectorset", chunk_id="knowledge_chunk"),
        *parents("knowledge_stagedvector", set_id="knowledge_vectorset", version_id="knowledge_version"),
        *parents(
            "knowledge_job",
            set_null=("space_id",),
            space_id="knowledge_space",
            version_id="knowledge_version",
        ),
        *parents("knowledge_storedfile", space_id="knowledge_space", version_id="knowledge_version"),
        tenant_function(
            "citewell_claim_job",
            "lease_seconds int",
            "TABLE (id bigint, tenant_id bigint, lease uuid)",
            CLAIM,
        ),
        tenant_function(
            "citewell_work_is_due",
            "",
            "boolean",
            "SELECT EXISTS (SELECT FROM knowledge_job WHERE (state = 'ready' AND run_after <= now()) "
            "OR (state = 'running' AND leased_until <= now()))",
        ),
        tenant_function(
            "citewell_term_hits",
            "wanted_space bigint, wanted_terms bigint[], wanted_weights float8[], most int",
            "TABLE (id bigint, document_id bigint, score float8)",
            HITS,
        ),
    ]
