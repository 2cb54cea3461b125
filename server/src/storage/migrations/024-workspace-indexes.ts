// What is asked about one workspace, organization or person is found by it. Before, usage looked at all calls of the organization,
// its audit log at all that was ever done there, lists of members and workspaces at all there are, and whoever keeps the counts of
// what is stored short at every count.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index ledger_entry_usage on ledger_entry (workspace_id, created_at)
      where latency_ms is not null;
    create index audit_event_workspace on audit_event (workspace_id, id);
    create index workspace_member_user on workspace_member (user_id);
    create index workspace_org on workspace (org_id, id);

    -- Only what came since is folded, together with what was folded before. What is there counts as that.
    alter table sample_storage add column folded boolean not null default true;
    alter table sample_storage alter column folded set default false;
    create index sample_storage_unfolded on sample_storage (workspace_id, tag) where not folded;

    -- Only statistics used it, and without it a charge is as cheap to write as before.
    drop index ledger_entry_time;
  `.execute(db)
}
