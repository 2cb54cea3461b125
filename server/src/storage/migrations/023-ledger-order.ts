// Entries of a wallet are listed in the order in which they were made, whatever the clock said. And what was read of calls that
// were hung up on is weighed by what it would have cost, so that many cheap calls do not make up for dear ones.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index ledger_entry_order on ledger_entry (wallet_id, seq);
    -- Statistics look for times alone, of which charges that are written together have one.
    drop index ledger_entry_wallet;
    create index ledger_entry_time on ledger_entry (wallet_id, created_at);
    alter table hang_up_count
      add column unpaid double precision not null default 0,
      add column paid double precision not null default 0;
  `.execute(db)
}
