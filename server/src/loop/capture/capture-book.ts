// What each workspace has configured to be recorded, remembered so that a call need not ask, and forgotten when any
// process changes it. While changes cannot be heard, nothing remembered is trusted.
import type { Storage } from '../../storage/open-storage.ts'
import { listCaptureConfigs } from './capture-config-store.ts'
import type { CaptureRules } from './decide-capture.ts'

const workspacesMax = 10_000

/** The own tags of a workspace's pipelines. */
export type PipelineTags = (workspaceId: string) => Promise<readonly string[]>

export class CaptureBook {
  readonly #storage: Storage
  readonly #pipelineTags: PipelineTags
  readonly #known = new Map<string, CaptureRules>()
  readonly #asking = new Map<string, Promise<CaptureRules>>()

  constructor(storage: Storage, pipelineTags: PipelineTags) {
    this.#storage = storage
    this.#pipelineTags = pipelineTags
    storage.changes.on('capture_changed', (workspaceId) => this.#forget(workspaceId))
  }

  async rulesOf(workspaceId: string): Promise<CaptureRules> {
    const known = this.#known.get(workspaceId)
    if (known && this.#storage.changes.connected) return known
    return this.#asking.get(workspaceId) ?? this.#ask(workspaceId)
  }

  #ask(workspaceId: string): Promise<CaptureRules> {
    const asking = this.#read(workspaceId).then((rules) => {
      // What was changed while it was read is read again by the next call.
      if (this.#asking.get(workspaceId) === asking) {
        if (this.#known.size >= workspacesMax) this.#known.clear()
        this.#known.set(workspaceId, rules)
      }
      return rules
    })
    this.#asking.set(workspaceId, asking)
    const done = (): void => {
      if (this.#asking.get(workspaceId) === asking) this.#asking.delete(workspaceId)
    }
    asking.then(done, done)
    return asking
  }

  async #read(workspaceId: string): Promise<CaptureRules> {
    const [configs, tags] = await Promise.all([
      listCaptureConfigs(this.#storage.db, workspaceId),
      this.#pipelineTags(workspaceId),
    ])
    return {
      tags: new Set(tags),
      bySource: new Map(
        configs.map((config) => [
          config.source,
          {
            enabled: config.enabled,
            tags: config.tags,
            sampleRate: config.sample_rate,
            retentionDays: config.retention_days,
          },
        ]),
      ),
    }
  }

  /** Called by whoever changes a configuration in this process too, so that the next call sees it. */
  forget(workspaceId: string): void {
    this.#forget(workspaceId)
  }

  #forget(workspaceId: string | null): void {
    if (workspaceId === null) {
      this.#known.clear()
      this.#asking.clear()
      return
    }
    this.#known.delete(workspaceId)
    this.#asking.delete(workspaceId)
  }
}
