// The table of what served under a name until something else took its place: its machine stops ten minutes later (spec 2, limits), by a
// row, so that a restart in between does not leave it running.
import { sql, type Transaction } from 'kysely'
import { newId } from '../lib/id.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

type Writer = Db | Transaction<Database>

export type ReplacedTarget = Database['replaced_target']

const stopAfterMs = 600_000

/** What the name stands for now, if that is something else than what comes next. */
export async function keepReplaced(
  db: Writer,
  next: Pick<ReplacedTarget, 'workspace_id' | 'name' | 'machine'> &
    Pick<ReplacedTarget, 'model' | 'base_revision' | 'adapter' | 'merged'>,
  at: Date,
): Promise<void> {
  await sql`
    insert into replaced_target
      (id, workspace_id, name, model, base_revision, adapter, merged, machine, stop_at)
    select ${newId(at)}::uuid, workspace_id, name, model, base_revision, adapter, merged, machine,
      ${new Date(at.getTime() + stopAfterMs)}
    from deployment
    where workspace_id = ${next.workspace_id} and name = ${next.name} and status = 'serving'
      and (model, base_revision, adapter, merged, machine) is distinct from
        (${next.model}, ${next.base_revision}, ${next.adapter}, ${next.merged}, ${next.machine})
  `.execute(db)
}

export async function listReplaced(db: Writer, workspaceId: string): Promise<ReplacedTarget[]> {
  return db
    .selectFrom('replaced_target')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .execute()
}

export async function listReplacedDue(db: Writer, now: Date): Promise<ReplacedTarget[]> {
  return db
    .selectFrom('replaced_target')
    .selectAll()
    .where('stop_at', '<=', now)
    .orderBy('stop_at')
    .limit(100)
    .execute()
}

export async function forgetReplaced(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('replaced_target').where('id', '=', id).execute()
}
