// How many calls at once a workspace may have, counted over all processes. Each process claims places in the database, a
// few more than it uses, and counts its calls in memory inside of them: so the sum never exceeds the ceiling, a call seldom
// costs a trip, and at most a hundredth of the ceiling lies idle in any process.
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../storage/open-storage.ts'
import { claimPlaces, dropClaims, renewClaims } from './call-claim-store.ts'

export type CallPlacesOptions = {
  processId: string
  /** True where no other process can be on the database, so that the count here is the whole count. */
  alone: boolean
  /** After this a process that died has given its places back. */
  lifeMs?: number
}

type Workspace = {
  ceiling: number
  claimed: number
  running: number
  waiting: number
  /** Calls begun since the last renewal. */
  begun: number
  claiming: Promise<void> | null
  fullUntilMs: number
}

const lifeMsDefault = 15_000
/** Once all places were found taken, the database is not asked again for so long. */
const fullMs = 50
const closeMsMax = 1_000

export class CallPlaces {
  readonly #storage: Storage
  readonly #alone: boolean
  readonly #lifeMs: number
  readonly #processId: string
  readonly #workspaces = new Map<string, Workspace>()
  readonly #renewal: NodeJS.Timeout

  constructor(storage: Storage, options: CallPlacesOptions) {
    this.#storage = storage
    this.#processId = options.processId
    this.#alone = options.alone
    this.#lifeMs = options.lifeMs ?? lifeMsDefault
    this.#renewal = setInterval(() => {
      this.renew().catch(() => {})
    }, this.#lifeMs / 3)
    this.#renewal.unref()
  }

  /** True where no other process shares the ceilings. */
  get alone(): boolean {
    return this.#alone
  }

  /** Takes a place: at once where this process has a free one, else after asking. False when all are taken. */
  async take(workspaceId: string, ceiling: number): Promise<boolean> {
    const workspace = this.#workspace(workspaceId, ceiling)
    if (this.#begin(workspace)) return true
    // Nobody else's places could help.
    if (this.#alone || workspace.running >= ceiling) return false
    return this.#takeClaiming(workspaceId, workspace)
  }

  leave(workspaceId: string): void {
    const workspace = this.#workspaces.get(workspaceId)
    if (!workspace) return
    workspace.running -= 1
    if (this.#alone) {
      if (workspace.running === 0) this.#workspaces.delete(workspaceId)
      return
    }
    this.#giveBackIdle(workspaceId, workspace)
  }

  /** Keeps the claims in use and gives back those that are not. Called by a timer. */
  async renew(): Promise<void> {
    if (this.#alone) return
    const [idle, kept] = [new Map<string, Workspace>(), new Map<string, Workspace>()]
    for (const [id, workspace] of this.#workspaces) {
      const quiet = workspace.running + workspace.waiting + workspace.begun === 0
      ;(quiet && !workspace.claiming ? idle : kept).set(id, workspace)
      workspace.begun = 0
    }
    if (idle.size > 0) await this.#giveBack(idle)
    if (kept.size === 0) return
    const renewed = await renewClaims(this.#storage, {
      processId: this.#processId,
      workspaceIds: [...kept.keys()],
      lifeMs: this.#lifeMs,
    })
    for (const [id, workspace] of kept) {
      if (workspace.claiming || (renewed.has(id) && !hasTooMany(workspace))) continue
      await this.#claim(id, workspace)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    const ids = [...this.#workspaces.keys()]
    this.#workspaces.clear()
    if (this.#alone || ids.length === 0) return
    // Not for long: without a database they run out by themselves.
    const dropped = this.#drop(ids).catch(() => {})
    await Promise.race([dropped, delay(closeMsMax, undefined, { ref: false })])
  }

  #workspace(id: string, ceiling: number): Workspace {
    const known = this.#workspaces.get(id)
    if (known) {
      known.ceiling = ceiling
      return known
    }
    const workspace: Workspace = {
      ceiling,
      claimed: 0,
      running: 0,
      waiting: 0,
      begun: 0,
      claiming: null,
      fullUntilMs: 0,
    }
    this.#workspaces.set(id, workspace)
    return workspace
  }

  #begin(workspace: Workspace): boolean {
    const room = this.#alone ? workspace.ceiling : Math.min(workspace.claimed, workspace.ceiling)
    if (workspace.running >= room) return false
    workspace.running += 1
    workspace.begun += 1
    return true
  }

  async #takeClaiming(id: string, workspace: Workspace): Promise<boolean> {
    workspace.waiting += 1
    try {
      for (;;) {
        if (performance.now() < workspace.fullUntilMs) return false
        await (workspace.claiming ?? this.#claim(id, workspace))
        if (this.#begin(workspace)) return true
        if (workspace.running >= workspace.ceiling) return false
      }
    } finally {
      workspace.waiting -= 1
    }
  }

  #claim(id: string, workspace: Workspace): Promise<void> {
    const needed = workspace.running + workspace.waiting + spareOf(workspace.ceiling)
    const want = Math.min(needed, workspace.ceiling)
    workspace.claiming = claimPlaces(this.#storage, {
      workspaceId: id,
      processId: this.#processId,
      want,
      ceiling: workspace.ceiling,
      lifeMs: this.#lifeMs,
    })
      .then((places) => {
        workspace.claimed = places
        if (places < want) workspace.fullUntilMs = performance.now() + fullMs
      })
      .finally(() => {
        workspace.claiming = null
        // Calls that ended meanwhile may have left more of them idle.
        if (this.#workspaces.get(id) === workspace) this.#giveBackIdle(id, workspace)
      })
    // What is being given back may not be used meanwhile.
    workspace.claimed = Math.min(workspace.claimed, want)
    return workspace.claiming
  }

  #giveBackIdle(id: string, workspace: Workspace): void {
    // If it fails, the next renewal tries again.
    if (hasTooMany(workspace)) this.#claim(id, workspace).catch(() => {})
  }

  /** A call that comes meanwhile waits for it and then claims anew, so that the deletion cannot come second. */
  async #giveBack(workspaces: Map<string, Workspace>): Promise<void> {
    const dropping = this.#drop([...workspaces.keys()]).finally(() => {
      for (const [id, workspace] of workspaces) {
        workspace.claiming = null
        if (workspace.running + workspace.waiting === 0) this.#workspaces.delete(id)
      }
    })
    for (const workspace of workspaces.values()) {
      workspace.claimed = 0
      workspace.claiming = dropping
    }
    await dropping
  }

  #drop(workspaceIds: string[]): Promise<void> {
    return dropClaims(this.#storage, { processId: this.#processId, workspaceIds })
  }
}

/** What a process keeps beyond what it uses. */
function spareOf(ceiling: number): number {
  return Math.floor(ceiling / 200)
}

/** Twice the spare ones lie idle, and nothing is on its way to change that. */
function hasTooMany({ ceiling, claimed, running, waiting, claiming }: Workspace): boolean {
  return claiming === null && claimed - running - waiting > 2 * spareOf(ceiling)
}
