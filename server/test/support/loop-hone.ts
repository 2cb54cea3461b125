// A Hone with a scripted model to call and one that can be trained, and what tests of the loop do again and again.
import assert from 'node:assert/strict'
import type { Pipeline } from '#contract/pipeline.ts'
import type { Trace } from '#contract/sample.ts'
import { scriptedCatalog, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.ts'
import { type Answer, type TestHone, testHone, type TestHoneOptions } from './test-hone.ts'
import { until } from './until.ts'

export const trainableModel = 'hone/hone-mini'

export type LoopHone = TestHone & {
  upstream: ScriptedUpstream
  pipeline(name: string, key?: string): Promise<Pipeline>
  /** A call of the scripted model, in the chat dialect unless `messages` is said. */
  ask(options?: {
    text?: string
    model?: string
    headers?: Record<string, string>
    key?: string
    dialect?: 'chat' | 'messages'
    stream?: boolean
    body?: object
  }): Promise<Answer>
  /** The sample an answer says it became, once it is stored. */
  sampleOf(answer: Answer, key?: string): Promise<Trace>
  stats(key?: string): Promise<LoopStatsAnswer>
}

export type LoopStatsAnswer = {
  samples: Record<string, number>
  capture: {
    recorded: number
    not_recorded: number
    counts: { source: string; tag: string; outcome: string; calls: number }[]
  }
  storage: Record<string, unknown>
}

export async function loopHone(options: TestHoneOptions = {}): Promise<LoopHone> {
  const upstream = await scriptedUpstream()
  const scripted = scriptedCatalog(upstream.baseUrl) as { models: object[] }
  const trainable = {
    id: trainableModel,
    context_window: 2048,
    max_output_tokens: 1024,
    routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
  }
  const hone = await testHone({
    catalog: { ...scripted, models: [...scripted.models, ...withMore(scripted.models), trainable] },
    ...options,
  })
  const loop: LoopHone = {
    ...hone,
    upstream,
    async pipeline(name, key = hone.owner.key) {
      const body = { name, model: { id: trainableModel } }
      const answer = await hone.call('POST', '/api/loop/pipelines', { key, body })
      assert.equal(answer.status, 201, answer.text)
      return (answer.json as unknown as { pipeline: Pipeline }).pipeline
    },
    ask({ text = 'Hi', model = 'plain', headers = {}, key, dialect, stream, body } = {}) {
      const path = dialect === 'messages' ? '/v1/messages' : '/v1/chat/completions'
      return hone.call('POST', path, {
        bearer: key ?? hone.owner.key,
        headers,
        body: {
          model,
          messages: [{ role: 'user', content: text }],
          max_tokens: 50,
          ...(stream === undefined ? {} : { stream }),
          ...body,
        },
      })
    },
    async sampleOf(answer, key = hone.owner.key) {
      const id = answer.headers.get('x-loop-sample-id')
      assert.ok(id, `the call became no sample: ${answer.status} ${answer.text}`)
      const look = () => hone.call('GET', `/api/loop/traces/${id}`, { key })
      let read = await look()
      await until(async () => {
        if (read.status === 200) return true
        assert.equal(read.json.error?.code, 'NOT_FOUND', read.text)
        read = await look()
        return false
      })
      return (read.json as unknown as { trace: Trace }).trace
    },
    async stats(key = hone.owner.key) {
      const answer = await hone.call('GET', '/api/loop/stats', { key })
      assert.equal(answer.status, 200, answer.text)
      return answer.json as unknown as LoopStatsAnswer
    },
    async stop() {
      await hone.stop()
      await upstream.close()
    },
  }
  return loop
}

/** One that takes tools, and one whose window takes anything. */
function withMore([plain]: object[]): object[] {
  return [
    { ...plain, id: 'tools', supports_tools: true },
    { ...plain, id: 'wide', context_window: 100_000_000 },
  ]
}

const eventuallyMsMax = 60_000

/** Asks again until it holds; counts and samples are written a moment behind the calls they are about. */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + eventuallyMsMax
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    if (performance.now() > deadline) {
      assert.fail(`it never came to hold: ${JSON.stringify(value)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
