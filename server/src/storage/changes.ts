// Hears what other processes changed, over PostgreSQL's notifications. While the connection is down nothing
// can be heard, so `connected` is false and nobody may trust a memory; on return everyone is told that
// anything may have changed.
import pg from 'pg'
import type { Clock } from '../lib/clock.ts'

const channels = [
  'accounts_changed',
  'wallet_recall',
  'capture_changed',
  'deployments_changed',
  'own_storage_changed',
  'attempt_due',
  'deployment_due',
] as const
export type Channel = (typeof channels)[number]
/** `payload` is null when changes may have been missed. */
type Listener = (payload: string | null) => void

// A revocation in another process bites within this time even when the connection stalls silently.
const heartbeatMs = 500
const reconnectMs = 250
/** A server that has let somebody in may fall silent all the same. */
const answerMs = 3000

export class Changes {
  readonly #url: string
  readonly #clock: Clock
  readonly #listeners = new Map<Channel, Listener[]>()
  #client: pg.Client | null = null
  #heartbeat: NodeJS.Timeout | null = null
  #closed = false
  #lastAnswerMs = Number.NEGATIVE_INFINITY

  constructor(url: string, clock: Clock) {
    this.#url = url
    this.#clock = clock
  }

  /** True while notifications arrive: the connection answered less than two heartbeats ago. */
  get connected(): boolean {
    return this.#clock.monotonicMs() - this.#lastAnswerMs < 2 * heartbeatMs
  }

  on(channel: Channel, listener: Listener): void {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener])
  }

  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      application_name: 'hone-changes',
    })
    client.on('notification', ({ channel, payload }) => {
      this.#tell(channel as Channel, payload ?? '')
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(channels.map((channel) => `listen ${channel}`).join('; '))
    } catch (error) {
      client.removeAllListeners('end')
      client.end().catch(() => {})
      throw error
    }
    if (this.#closed) return void client.end().catch(() => {})
    this.#client = client
    this.#lastAnswerMs = this.#clock.monotonicMs()
    for (const channel of this.#listeners.keys()) this.#tell(channel, null)
    this.#beat(client)
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#heartbeat) clearTimeout(this.#heartbeat)
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }

  #beat(client: pg.Client): void {
    this.#heartbeat = setTimeout(() => {
      const sentMs = this.#clock.monotonicMs()
      const stalled = setTimeout(() => this.#lost(client), 2 * heartbeatMs)
      client.query('select 1').then(
        () => {
          clearTimeout(stalled)
          if (this.#client !== client) return
          this.#lastAnswerMs = sentMs
          this.#beat(client)
        },
        () => {
          clearTimeout(stalled)
          this.#lost(client)
        },
      )
    }, heartbeatMs)
    this.#heartbeat.unref()
  }

  #tell(channel: Channel, payload: string | null): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload)
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#lastAnswerMs = Number.NEGATIVE_INFINITY
    client.end().catch(() => {})
    const retry = (): void => {
      if (this.#closed) return
      this.open().catch(() => setTimeout(retry, reconnectMs).unref())
    }
    setTimeout(retry, reconnectMs).unref()
  }
}
