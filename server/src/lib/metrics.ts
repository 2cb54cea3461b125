// Prometheus metrics of one process. Labels are route patterns, codes and model slugs of the catalog: never
// anything a caller can make up, so their number is bounded.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Tally } from './tally.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics(read: {
  chargesPending: () => number
  storageConnected: () => boolean
  /** Since when the longest due attempt waits for a process to walk it. */
  oldestDueAttempt: () => Promise<Date | null>
  now: () => Date
}) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'hone_' })
  new Gauge({
    name: 'hone_charges_pending',
    help: 'Charges on their way into the ledger',
    registers,
    collect() {
      this.set(read.chargesPending())
    },
  })
  new Gauge({
    name: 'hone_storage_connected',
    help: '1 while notifications of changes come from the database',
    registers,
    collect() {
      this.set(read.storageConnected() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'hone_attempt_due_seconds',
    help: 'How long the longest due attempt waits for a process to work on it',
    registers,
    async collect() {
      // Without a database the other numbers are read all the same.
      const since = await read.oldestDueAttempt().catch(() => null)
      this.set(since === null ? 0 : Math.max(0, read.now().getTime() - since.getTime()) / 1000)
    },
  })
  return {
    registry,
    requests: new Tally({
      name: 'hone_http_requests_total',
      help: 'Requests answered, by route and status',
      labelNames: ['route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'hone_http_request_seconds',
      help: 'Time from a request to the end of its answer',
      labelNames: ['route'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
      registers,
    }),
    calls: new Tally({
      name: 'hone_calls_total',
      help: 'Model calls, by model and outcome (completed, aborted, failed)',
      labelNames: ['model', 'outcome'],
      registers,
    }),
    tokens: new Tally({
      name: 'hone_tokens_total',
      help: 'Tokens of settled calls, by model and kind',
      labelNames: ['model', 'kind'],
      registers,
    }),
    unbilledCharges: new Counter({
      name: 'hone_unbilled_charges_total',
      help: 'Delivered answers that could not be charged; each is logged with its amount',
      registers,
    }),
  }
}
