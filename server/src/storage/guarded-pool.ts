// A pool of connections whose waits are bounded: a database that stalls costs each caller seconds, never
// forever, and a connection whose state is unknown is never used again. Nor is one that is as old as another that took no
// changes: whether a connection does is often decided when it is made.
import pg from 'pg'
import { columnQuery, type ColumnStatement } from './column-query.ts'
import { settleSession } from './settle-session.ts'
import {
  asStorageError,
  StorageBusy,
  StorageContended,
  StorageReadOnly,
  StorageUnavailable,
} from './storage-unavailable.ts'

const waitersMax = 1000
/** How much longer the database goes on with a statement whose answer nobody waits for any more. */
const graceMs = 1000

/** Where the operator has not set less. */
function statementsEndAfter(ms: number): string {
  return `select set_config(name, '${ms}', false) from pg_settings
    where name = 'statement_timeout' and setting::bigint not between 1 and ${ms}`
}

export type PoolOptions = {
  url: string
  connectionsMax: number
  connectMs: number
  queryMs: number
}

export class GuardedPool {
  readonly #pool: pg.Pool
  /** Goes up when a connection turns out to take no changes. */
  #generation = 0
  readonly #generations = new WeakMap<pg.PoolClient, number>()

  constructor(options: PoolOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      connectionTimeoutMillis: options.connectMs,
      query_timeout: options.queryMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'hone',
      // Without this, statements that were given up run on beside the next ones until there is no room for a connection.
      verify: settleSession(statementsEndAfter(options.queryMs + graceMs)),
    })
    // An idle connection that breaks is dropped by the pool; the next caller opens another.
    this.#pool.on('error', () => {})
    // One that breaks in a caller's hands fails that caller's query, and says so a second time to nobody.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#generations.set(client, this.#generation)
    })
  }

  /** The shape Kysely takes a connection in. */
  async connect(): Promise<GuardedClient> {
    if (this.#pool.waitingCount >= waitersMax) {
      throw new StorageBusy(new Error('too many callers wait for a connection'))
    }
    try {
      for (;;) {
        const client = await this.#pool.connect()
        const generation = this.#generations.get(client) ?? 0
        if (generation === this.#generation) {
          return new GuardedClient(client, () => this.#tookNoChanges(generation))
        }
        client.release(true)
      }
    } catch (error) {
      // Whatever the server says to whoever comes in, a changed password or a database that is locked up, nothing was asked yet.
      const seen = asStorageError(error)
      throw seen instanceof StorageUnavailable ? seen : new StorageUnavailable(seen)
    }
  }

  /** Many may find out at once that their connections are of no use any more. */
  #tookNoChanges(generation: number): void {
    this.#generation = Math.max(this.#generation, generation + 1)
  }

  /** One prepared statement, for the hot path. */
  async query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.query<Row>({ name, text, values })).rows
    } finally {
      client.release()
    }
  }

  /** For rows by the hundred. Once it has answered, nobody looks at the bytes of the columns any more. */
  async queryColumns<Row extends pg.QueryResultRow>(statement: ColumnStatement): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.submit<Row>(columnQuery(statement))).rows
    } finally {
      client.release()
    }
  }

  /** Fails when the database answers and takes no changes. */
  async checkWritable(): Promise<void> {
    const client = await this.connect()
    try {
      await client.checkWritable()
    } finally {
      client.release()
    }
  }

  async end(): Promise<void> {
    await this.#pool.end()
  }
}

class GuardedClient {
  readonly #client: pg.PoolClient
  readonly #tookNoChanges: () => void
  /** Why nobody can rely on this connection any more. */
  #broken: StorageUnavailable | null = null

  constructor(client: pg.PoolClient, tookNoChanges: () => void) {
    this.#client = client
    this.#tookNoChanges = tookNoChanges
  }

  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
  // Kysely's interface also knows cursors, which Hone does not use.
  query(...args: unknown[]): never
  async query(...args: unknown[]): Promise<unknown> {
    // What was begun is undone when the connection is closed; one that is silent would be waited for a second time.
    if (this.#broken) throw this.#broken
    try {
      return await (this.#client.query as (...all: unknown[]) => Promise<unknown>).apply(
        this.#client,
        args,
      )
    } catch (error) {
      throw this.#seen(error)
    }
  }

  async submit<Row extends pg.QueryResultRow>(query: pg.Query): Promise<pg.QueryResult<Row>> {
    if (this.#broken) throw this.#broken
    try {
      return await new Promise((resolve, reject) => {
        const done = (error: Error | null, result: pg.QueryResult<Row>): void =>
          error ? reject(error) : resolve(result)
        void (this.#client.query as (query: pg.Query, done: unknown) => unknown).call(
          this.#client,
          query,
          done,
        )
      })
    } catch (error) {
      throw this.#seen(error)
    }
  }

  async checkWritable(): Promise<void> {
    const { rows } = await this.query<{ transaction_read_only: string }>(
      'show transaction_read_only',
    )
    if (rows[0]?.transaction_read_only === 'on') throw this.#seen(new StorageReadOnly(null))
  }

  #seen(error: unknown): unknown {
    const seen = asStorageError(error)
    const isAnswer = seen instanceof StorageContended
    if (seen instanceof StorageUnavailable && !isAnswer) this.#broken ??= seen
    if (seen instanceof StorageReadOnly) this.#tookNoChanges()
    return seen
  }

  release(): void {
    this.#client.release(this.#broken !== null)
  }
}
