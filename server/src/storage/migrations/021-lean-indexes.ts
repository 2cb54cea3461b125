// Indexes of samples without what every row had in common, or had none of: an origin that the index itself can name, and labels
// that most recorded calls do not have.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index sample_origin;
    create index sample_captured on sample (workspace_id, id) where origin = 'captured';
    create index sample_imported on sample (workspace_id, id) where origin = 'imported';

    -- Whoever asks for a label says that there are some, or this index is not looked at.
    drop index sample_tags;
    create index sample_tags on sample using gin (tags) where tags <> '{}';
  `.execute(db)
}
