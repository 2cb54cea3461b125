// Stores calls that were just recorded and cannot be there yet, as lists side by side and in one statement: all of them or none.
// What is there already, or may be, goes the way of all other samples.
import * as arrays from '../../storage/binary-array.ts'
import type { Storage } from '../../storage/open-storage.ts'
import type { NewSample } from '../sample/sample.ts'

const statement = `
  with stored as (
    insert into sample (
      workspace_id, id, origin, source, model, version_no, tags, answered, bytes, created_at, expires_at
    )
    select unnest($1::uuid[]), unnest($2::uuid[]), 'captured', unnest($3::text[]), unnest($4::text[]),
      unnest($5::integer[]), string_to_array(unnest($6::text[]), ','), true, unnest($7::integer[]),
      to_timestamp(unnest($8::float8[])), to_timestamp(unnest($9::float8[]))
  ), texts as (
    insert into sample_text (sample_id, workspace_id, conversation, search_text)
    select unnest($2::uuid[]), unnest($1::uuid[]), unnest($10::text[]), unnest($11::text[])
  )
  insert into search_queue (workspace_id, sample_ids)
  select workspace_id, array_agg(id)
  from (select unnest($1::uuid[]) as workspace_id, unnest($2::uuid[]) as id) as given
  group by workspace_id`

/** True for a call of the platform's own storage that names no request, so that it repeats none. */
export function isFresh(sample: NewSample): boolean {
  return sample.origin === 'captured' && sample.requestId === null && sample.objectKey === null
}

export class FreshSampleStore {
  readonly #pool: Storage['pool']
  /** Used again and again, because as garbage it would cost more than what is written into it. One group at a time. */
  #memory: ArrayBuffer | null = null

  constructor({ pool }: Pick<Storage, 'pool'>) {
    this.#pool = pool
  }

  async insert(samples: readonly NewSample[]): Promise<void> {
    const bytes = arrays.writeColumns(columnsOf(samples), (size) => this.#take(size))
    await this.#pool.queryColumns({
      name: 'insert-fresh-samples',
      text: statement,
      columns: { count: columnCount, bytes },
      rest: [],
    })
    // Only now: what failed may still be on its way.
    this.#memory = bytes.buffer
  }

  #take(size: number): ArrayBuffer {
    const memory = this.#memory
    this.#memory = null
    return memory && memory.byteLength >= size ? memory : new ArrayBuffer(roundedUp(size))
  }
}

const stepBytes = 1024 * 1024

function roundedUp(size: number): number {
  return Math.ceil(size / stepBytes) * stepBytes
}

const columnCount = 11

function columnsOf(samples: readonly NewSample[]): arrays.Column[] {
  return [
    arrays.uuidColumn(samples.map((sample) => sample.workspaceId)),
    arrays.uuidColumn(samples.map((sample) => sample.id)),
    arrays.textColumn(samples.map((sample) => sample.source)),
    arrays.textColumn(samples.map((sample) => sample.model)),
    arrays.integerColumn(samples.map((sample) => sample.versionNo)),
    arrays.textColumn(samples.map((sample) => sample.tags.join(','))),
    arrays.integerColumn(samples.map((sample) => sample.text.bytes)),
    arrays.floatColumn(samples.map((sample) => sample.createdAt.getTime() / 1000)),
    arrays.floatColumn(samples.map((sample) => sample.expiresAt.getTime() / 1000)),
    arrays.textColumn(
      samples.map((sample) => sample.text.conversation),
      samples.reduce((sum, sample) => sum + sample.text.bytes, 0),
    ),
    arrays.textColumn(
      samples.map((sample) => sample.text.searchText),
      samples.reduce((sum, sample) => sum + Buffer.byteLength(sample.text.searchText ?? ''), 0),
    ),
  ]
}
