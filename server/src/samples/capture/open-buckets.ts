// The buckets of workspaces as the thread that records calls fills them. It is loaded with the first call of a workspace
// that has one, because what it needs is large.
import { Kysely, PostgresDialect } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { type HostList, readHostList } from '../../lib/host-list.ts'
import type { GuardedPool } from '../../storage/guarded-pool.ts'
import type { Database } from '../../storage/schema.ts'
import { OwnStorages } from '../own-storage/own-storages.ts'
import { placeTexts } from '../own-storage/place-texts.ts'
import type { RecordingSettings } from './recording-messages.ts'
import type { PlaceTexts } from './sample-storer.ts'

export type Buckets = {
  placeTexts: PlaceTexts
  /** Null is any workspace. */
  forget(workspaceId: string | null): void
  close(): void
}

export function openBuckets(
  ports: { pool: GuardedPool; clock: Clock; warn: (about: object, sentence: string) => void },
  settings: RecordingSettings['ownStorage'],
): Buckets {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: ports.pool }) })
  // This thread hears no changes by itself, so it trusts no memory of which bucket a workspace has.
  const changes = { connected: false, on() {} }
  const ownStorages = new OwnStorages({ db, changes }, ports.clock, {
    key: settings.key,
    hosts: hostsOf(settings.hosts),
  })
  const placing = {
    storage: { db },
    clock: ports.clock,
    samples: { ownStorages },
    log: { warn: ports.warn },
  }
  return {
    placeTexts: (workspaceId, samples) => placeTexts(placing, workspaceId, samples),
    forget: (workspaceId) => ownStorages.forget(workspaceId),
    close: () => ownStorages.close(),
  }
}

function hostsOf(text: string): HostList {
  const hosts = readHostList(text)
  if ('wrong' in hosts) throw new Error('the list of hosts was read before')
  return hosts
}
