// What each workspace has configured to be recorded, cached so that a call need not ask.
import type { Storage } from '../../storage/open-storage.ts'
import { WorkspaceCache } from '../../storage/workspace-cache.ts'
import { listCaptureConfigs } from './capture-config-store.ts'
import type { CaptureRules } from './decide-capture.ts'

/** The own tags of a workspace's pipelines. */
export type PipelineTags = (workspaceId: string) => Promise<readonly string[]>

export class CaptureBook {
  readonly #rules: WorkspaceCache<CaptureRules>

  constructor(storage: Storage, pipelineTags: PipelineTags) {
    this.#rules = new WorkspaceCache(storage.changes, ['capture_changed'], async (workspaceId) => {
      const [configs, tags] = await Promise.all([
        listCaptureConfigs(storage.db, workspaceId),
        pipelineTags(workspaceId),
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
    })
  }

  rulesOf(workspaceId: string): Promise<CaptureRules> {
    return this.#rules.of(workspaceId)
  }

  /** For a change made in this process, so that its next call sees it. */
  forget(workspaceId: string): void {
    this.#rules.forget(workspaceId)
  }
}
