// Deployments: names of a workspace, and what serves each of them at the moment. What a name stands for is one row, so that another
// model goes live under it by one update. Weights are named by the hash of their content and never change.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deployment (
      id uuid primary key,
      workspace_id uuid not null references workspace,
      name text not null,
      model text not null,
      base_revision text,
      adapter text check (adapter ~ '^[0-9a-f]{12,128}$'),
      merged text check (merged ~ '^[0-9a-f]{12,128}$'),
      checkpoint_id text,
      status text not null check (status in
        ('serving', 'starting', 'stopped', 'paused_for_funds', 'paused_by_platform', 'failed', 'deleted')),
      machine text not null,
      created_at timestamptz not null,
      started_at timestamptz,
      revision integer not null,
      check (adapter is null or merged is null)
    );
    create unique index deployment_name on deployment (workspace_id, name) where status <> 'deleted';

    create function notify_deployments_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('deployments_changed', coalesce(new.workspace_id, old.workspace_id)::text);
      return null;
    end $$;
    create trigger deployments_changed after insert or update or delete on deployment
      for each row execute function notify_deployments_changed();
  `.execute(db)
}
