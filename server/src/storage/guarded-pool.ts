// A pool of connections whose waits are bounded: a database that stalls costs each caller seconds, never
// forever, and a connection whose state is unknown is never used again.
import pg from 'pg'
import { columnQuery, type ColumnStatement } from './column-query.ts'
import { asStorageError, StorageUnavailable } from './storage-unavailable.ts'

const waitersMax = 1000

export type PoolOptions = {
  url: string
  connectionsMax: number
  connectMs: number
  queryMs: number
}

export class GuardedPool {
  readonly #pool: pg.Pool

  constructor(options: PoolOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      connectionTimeoutMillis: options.connectMs,
      query_timeout: options.queryMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'hone',
    })
    // An idle connection that breaks is dropped by the pool; the next caller opens another.
    this.#pool.on('error', () => {})
    // One that breaks in a caller's hands fails that caller's query, and says so a second time to nobody.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** The shape Kysely takes a connection in. */
  async connect(): Promise<GuardedClient> {
    if (this.#pool.waitingCount >= waitersMax) {
      throw new StorageUnavailable(new Error('too many callers wait for a connection'))
    }
    try {
      return new GuardedClient(await this.#pool.connect())
    } catch (error) {
      throw asStorageError(error)
    }
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

  async end(): Promise<void> {
    await this.#pool.end()
  }
}

class GuardedClient {
  readonly #client: pg.PoolClient
  #broken = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
  // Kysely's interface also knows cursors, which Hone does not use.
  query(...args: unknown[]): never
  async query(...args: unknown[]): Promise<unknown> {
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

  #seen(error: unknown): unknown {
    const seen = asStorageError(error)
    if (seen instanceof StorageUnavailable) this.#broken = true
    return seen
  }

  release(): void {
    this.#client.release(this.#broken)
  }
}
