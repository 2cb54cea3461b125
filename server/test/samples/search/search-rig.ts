// Workspaces with samples to list and to search: stored past the routes, listed and searched over HTTP, indexed by the
// indexer when a test says so.
import { dropSamples } from '#server/samples/retention/erase-samples.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { storedText } from '#server/samples/sample/stored-text.ts'
import {
  indexDefaults,
  type IndexOptions,
  indexWorkspace,
} from '#server/samples/search/index-workspace.ts'
import { newId } from '#server/lib/id.ts'
import { createWorkspace } from '#test/support/accounts.ts'
import {
  type Answer,
  type TestHone,
  testHone,
  type TestHoneOptions,
} from '#test/support/test-hone.ts'

export type Listed = {
  id: string
  where: string
  created_at: string
  preview: { question: string; answer: string } | null
}
export type ListAnswer = {
  traces: Listed[]
  page: number
  total: number
  total_is_minimum: boolean
  not_searched: number
  not_searched_is_minimum: boolean
}
export type Params = Record<string, string | number>

/** Everything at once, so that a test need not wait. */
export const atOnce: IndexOptions = {
  ...indexDefaults,
  queueSamples: 1,
  queueBytes: 1,
  forgetMs: 0,
}

export type Shelf = {
  workspaceId: string
  /** Stores samples and returns their ids, oldest first. */
  add(...samples: (string | Partial<NewSample>)[]): Promise<string[]>
  ask(params: Params): Promise<Answer>
  /** Fails unless the list is answered. */
  list(params: Params): Promise<ListAnswer>
  /** Ids of all pages. */
  find(q: string, params?: Params): Promise<string[]>
  remove(ids: readonly string[]): Promise<void>
  /** One step of the indexer; true when it did something. */
  indexStep(options?: IndexOptions): Promise<boolean>
  /** Until nothing is left to do. */
  index(options?: IndexOptions): Promise<void>
}

export type SearchRig = {
  hone: TestHone
  shelf(): Promise<Shelf>
  stop(): Promise<void>
}

let shelves = 0
let made = 0

export async function searchRig(options: TestHoneOptions = {}): Promise<SearchRig> {
  const hone = await testHone({ tasks: [], ...options })
  const session = await hone.login(hone.owner.email, hone.owner.password)
  return {
    hone,
    async shelf() {
      const workspaceId = await createWorkspace(hone, `Shelf ${++shelves}`)
      return makeShelf(hone, workspaceId, { ...session, 'x-workspace-id': workspaceId })
    },
    stop: () => hone.stop(),
  }
}

function makeShelf(hone: TestHone, workspaceId: string, headers: Record<string, string>): Shelf {
  const { storage } = hone.app
  const ask = (params: Params): Promise<Answer> => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(params)) query.set(name, String(value))
    return hone.call('GET', `/api/loop/traces?${query.toString()}`, { headers })
  }
  const list = async (params: Params): Promise<ListAnswer> => {
    const answer = await ask(params)
    if (answer.status !== 200) throw new Error(`listing failed: ${answer.text}`)
    return answer.json as unknown as ListAnswer
  }
  const indexStep = (options = atOnce): Promise<boolean> =>
    indexWorkspace(storage, workspaceId, options)
  /** True also while the indexer in the background has its turn and a step here does nothing. */
  const isWaiting = async (): Promise<boolean> => {
    const waiting = storage.db.selectFrom('search_queue').where('workspace_id', '=', workspaceId)
    return (await waiting.select('id').limit(1).executeTakeFirst()) !== undefined
  }
  return {
    workspaceId,
    async add(...samples) {
      const rows = samples.map((sample) =>
        newSample(workspaceId, typeof sample === 'string' ? saying(sample) : sample),
      )
      await insertSamples(storage, rows)
      return rows.map((row) => row.id)
    },
    ask,
    list,
    async find(q, params = {}) {
      const ids: string[] = []
      for (let page = 1; ; page++) {
        const { traces } = await list({ ...params, q, page })
        ids.push(...traces.map((trace) => trace.id))
        if (traces.length < 25) return ids
      }
    },
    async remove(ids) {
      await dropSamples(hone.app, workspaceId, ids)
    },
    indexStep,
    async index(options = atOnce) {
      while ((await indexStep(options)) || (options === atOnce && (await isWaiting())));
    },
  }
}

/** A sample with these words as its question and nothing else to search. */
export function saying(question: string, answer: string | null = null): Partial<NewSample> {
  return conversing({
    tools: [],
    system: [],
    messages: [{ role: 'user', blocks: [{ type: 'text', text: question }] }],
    answer: answer === null ? null : [{ type: 'text', text: answer }],
  })
}

export function conversing(conversation: Conversation): Partial<NewSample> {
  return { answered: conversation.answer !== null, text: storedText(conversation) }
}

const startMs = Date.parse('2026-02-01T00:00:00Z')

/** Each a second after the last. */
function newSample(workspaceId: string, given: Partial<NewSample>): NewSample {
  const createdAt = given.createdAt ?? new Date(startMs + ++made * 1000)
  return {
    id: newId(createdAt),
    workspaceId,
    origin: 'captured',
    source: 'some/model',
    model: null,
    tags: [],
    requestId: null,
    importId: null,
    versionNo: null,
    rowKey: null,
    shape: null,
    answered: false,
    text: (saying('') as NewSample).text,
    objectKey: null,
    signal: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 1000 * 24 * 3600 * 1000),
    ...given,
  }
}
