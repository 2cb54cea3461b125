// Organizations, workspaces, people, sessions, keys, audit. Every change that can alter what a credential may
// do notifies all processes, whoever made it, so that none of them goes on believing an older answer.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table org (
      id uuid primary key,
      name text not null,
      created_at timestamptz not null
    );

    create table workspace (
      id uuid primary key,
      org_id uuid not null references org,
      name text not null,
      created_at timestamptz not null
    );
    create unique index workspace_name on workspace (org_id, lower(name));

    create table person (
      id uuid primary key,
      email text not null,
      name text not null,
      password_hash text not null,
      created_at timestamptz not null
    );
    create unique index person_email on person (lower(email));

    create table member (
      org_id uuid not null references org,
      user_id uuid not null references person,
      role text not null check (role in ('owner', 'admin', 'member', 'viewer', 'billing')),
      all_workspaces boolean not null,
      created_at timestamptz not null,
      primary key (org_id, user_id)
    );
    create index member_user on member (user_id);

    create table workspace_member (
      workspace_id uuid not null references workspace,
      user_id uuid not null references person,
      primary key (workspace_id, user_id)
    );

    create table session (
      id uuid primary key,
      user_id uuid not null references person,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz
    );
    create index session_person on session (user_id);

    create table api_key (
      id uuid primary key,
      workspace_id uuid not null references workspace,
      created_by uuid not null references person,
      name text not null,
      secret_hash bytea not null unique,
      prefix text not null,
      scopes text[] not null,
      scope_preset text not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz
    );
    create index api_key_workspace on api_key (workspace_id, id);

    create table login_try (
      id uuid primary key,
      address text not null,
      account text not null,
      created_at timestamptz not null
    );
    create index login_try_address on login_try (address, created_at);
    create index login_try_account on login_try (account, created_at);

    create table audit_event (
      id uuid primary key,
      org_id uuid not null references org,
      workspace_id uuid,
      user_id uuid,
      key_id uuid,
      action text not null,
      target_id text,
      detail jsonb not null,
      created_at timestamptz not null
    );
    create index audit_event_org on audit_event (org_id, id);

    create function notify_accounts_changed() returns trigger language plpgsql as $$
    begin
      notify accounts_changed;
      return null;
    end $$;
  `.execute(db)
  for (const table of [
    'org',
    'workspace',
    'person',
    'member',
    'workspace_member',
    'session',
    'api_key',
  ]) {
    // A new row grants nothing that was refused from memory, because refusals are not remembered.
    await sql`
      create trigger accounts_changed after update or delete on ${sql.table(table)}
        for each statement execute function notify_accounts_changed()
    `.execute(db)
  }
}
