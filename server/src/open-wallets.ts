// The wallets of this process, with what goes wrong in them told to the log and the metrics.
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock } from './lib/clock.ts'
import type { Metrics } from './lib/metrics.ts'
import { formatUsd } from './lib/money.ts'
import type { Storage } from './storage/open-storage.ts'
import type { UsageRecord } from './usage/usage-record.ts'
import type { UsageWriter } from './usage/usage-writer.ts'
import type { Charge } from './wallet/charge.ts'
import { Wallets } from './wallet/wallets.ts'

type Around = {
  config: Config
  clock: Clock
  log: Logger
  metrics: Metrics
  usage: UsageWriter
}

export function openWallets(
  { config, clock, log, metrics, usage }: Around,
  storage: Storage,
  leaseMs?: number,
): Wallets {
  return new Wallets(storage, clock, {
    journal: {
      folder: config.dataDir,
      report: {
        failed: (err) =>
          log.error(
            { err },
            'charges cannot be written to the data folder, so answers wait for the database; check the disk',
          ),
      },
    },
    ...(leaseMs === undefined ? {} : { leaseMs }),
    report: {
      unpaid(charge, why) {
        metrics.unbilledCharges.inc()
        log.error(
          { request_id: charge.requestId, amount_usd: formatUsd(charge.amount), why },
          'a delivered answer could not be charged',
        )
        usage.record(unpaidUsage(charge, clock.now()))
      },
      underpaid(requestId, amount) {
        metrics.unbilledCharges.inc()
        log.error(
          { request_id: requestId, amount_usd: formatUsd(amount) },
          'a delivered answer cost more than its wallet could pay',
        )
      },
      refused: (err) =>
        log.error({ err }, 'the database refuses charges; they are retried until it accepts them'),
      left: (charges) =>
        log.warn({ charges }, 'charges wait in the data folder for the next start'),
    },
  })
}

/** Used all the same, for nothing. */
function unpaidUsage(
  { requestId, walletId, workspaceId, keyId, call }: Charge,
  at: Date,
): UsageRecord {
  const { model, route, usage, latencyMs, firstTokenMs } = call
  const seen = { model, route, usage, latencyMs, firstTokenMs }
  return { ...seen, requestId, orgId: walletId, workspaceId, keyId, outcome: 'completed', at }
}
