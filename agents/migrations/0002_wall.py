from django.db import migrations

from accounts.walls import parents, wall


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_agents"), ("knowledge", "0002_wall")]

    operations = [
        *wall(
            "agents_agent",
            "agents_agentuserobjectpermission",
            "agents_agentspace",
            "agents_conversation",
            "agents_message",
        ),
        *parents("agents_agentuserobjectpermission", content_object_id="agents_agent"),
        *parents("agents_agentspace", agent_id="agents_agent", space_id="knowledge_space"),
        *parents(
            "agents_conversation",
            set_null=("member_id", "key_id"),
            agent_id="agents_agent",
            member_id="accounts_member",
            key_id="accounts_apikey",
        ),
        *parents("agents_message", agent_id="agents_agent", conversation_id="agents_conversation"),
    ]
