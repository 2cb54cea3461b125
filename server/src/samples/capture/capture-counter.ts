// Adds up what became of calls and writes the sums in groups. Counts that cannot be written yet wait in memory, added
// up, so waiting costs no more the longer it lasts. A group whose writing failed may have been written all the same: it is
// sent again as it was, under its number, and what was counted meanwhile comes in the next.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { addCaptureCounts, type CaptureCount, type CountGroup } from './capture-count-store.ts'

const waitMs = 200
const retryMs = 2000
const keptMax = 20_000

export class CaptureCounter {
  readonly #storage: Pick<Storage, 'pool'>
  readonly #clock: Clock
  readonly #writerId: string
  #waiting = new Map<string, CaptureCount>()
  #groups = 0
  /** Not known to be written. */
  #unsure: CountGroup | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(storage: Pick<Storage, 'pool'>, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
    this.#writerId = newId(clock.now())
  }

  /** One call, under each of its tags; without tags it is counted under none. A call is missed once, and then as a whole. */
  count(
    call: { workspaceId: string; source: string; tags?: readonly string[] },
    outcome: CaptureOutcome,
    { missed } = { missed: outcome !== 'recorded' },
  ): void {
    const { workspaceId, source, tags = [] } = call
    for (const [at, tag] of (tags.length > 0 ? tags : ['']).entries()) {
      this.#add({
        workspaceId,
        source,
        tag,
        outcome,
        calls: 1,
        missed: missed && at === 0 ? 1 : 0,
        at: this.#clock.now(),
      })
    }
    this.#flushIn(waitMs)
  }

  /** Resolves when everything counted so far was written, or could not be. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  #add(count: CaptureCount): void {
    const key = [count.workspaceId, count.source, count.tag, count.outcome].join('\n')
    const counted = this.#waiting.get(key)
    if (!counted && this.#waiting.size >= keptMax) return
    if (!counted) return void this.#waiting.set(key, count)
    const calls = counted.calls + count.calls
    this.#waiting.set(key, { ...count, calls, missed: counted.missed + count.missed })
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref()
  }

  async #write(): Promise<void> {
    try {
      if (this.#unsure) await this.#addGroup(this.#unsure)
      if (this.#waiting.size > 0) await this.#addGroup(this.#takeGroup())
    } catch {
      this.#flushIn(retryMs)
    }
  }

  #takeGroup(): CountGroup {
    const counts = [...this.#waiting.values()]
    this.#waiting = new Map()
    return { writerId: this.#writerId, number: ++this.#groups, counts }
  }

  async #addGroup(group: CountGroup): Promise<void> {
    this.#unsure = group
    await addCaptureCounts(this.#storage, group, this.#clock.now())
    this.#unsure = null
  }
}
