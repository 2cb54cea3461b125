// A Hone in front of a chaos upstream, and short ways to call it in either dialect.
import assert from 'node:assert/strict'
import { type CatalogEntry, chaosCatalog, type ChaosCall } from './chaos-upstream.ts'
import { type ChaosUpstream, chaosUpstream } from './chaos-upstream.ts'
import { type Answer, type CallOptions, type TestHone, testHone } from './test-hone.ts'

export type DialectName = 'chat' | 'messages'
export const dialects: DialectName[] = ['chat', 'messages']

export const paths: Record<DialectName, string> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
}

/** The least a request needs; `max_tokens` is required in one dialect only. */
export const leastBody = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 }

export type Json = Record<string, unknown>

export type ChaosHone = {
  hone: TestHone
  upstream: ChaosUpstream
  /** Posts the least body with the given fields in place of its own; undefined leaves one out. */
  post(dialect: DialectName, fields: object, options?: CallOptions): Promise<Answer>
  /** The same, and what reached the upstream. */
  reached(dialect: DialectName, fields: object, options?: CallOptions): Promise<ChaosCall>
  wallet(): Promise<{ balance_usd: string; held_usd: string }>
  /** Waits until every call has been billed or voided. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export async function chaosHone(
  extra: (upstream: ChaosUpstream) => CatalogEntry[] = () => [],
  options: { limits?: object; env?: Record<string, string> } = {},
): Promise<ChaosHone> {
  const upstream = await chaosUpstream()
  const catalog = {
    ...chaosCatalog(upstream, extra(upstream)),
    ...(options.limits ? { limits: options.limits } : {}),
  }
  // No route comes back, and nothing reaches the upstream, but by the calls of the test.
  const hone = await testHone({ catalog, tasks: [], ...(options.env ? { env: options.env } : {}) })
  const rig: ChaosHone = {
    hone,
    upstream,
    post: (dialect, fields, callOptions = {}) =>
      hone.call('POST', paths[dialect], {
        bearer: hone.owner.key,
        body: { model: 'ok', ...leastBody, ...fields },
        ...callOptions,
      }),
    async reached(dialect, fields, callOptions) {
      const seen = upstream.calls.length
      const answer = await rig.post(dialect, fields, callOptions)
      assert.equal(answer.status, 200, answer.text)
      const call = upstream.calls[seen]
      assert.ok(call, 'nothing reached the upstream')
      return call
    },
    wallet: async () =>
      (await hone.call('GET', '/api/wallet', { key: hone.owner.key })).json as never,
    settled: () => hone.quiet(),
    async stop() {
      await hone.stop()
      await upstream.close()
    },
  }
  return rig
}

export type StreamEvent = { event: string | null; data: Json | '[DONE]' }

/** The events of a stream in the order they came; comments are left out. */
export function readEvents(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .filter((record) => record !== '' && !record.startsWith(':'))
    .map((record) => {
      const lines = record.split('\n')
      const field = (name: string): string | null =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
      const [name, data] = [field('event'), field('data') ?? '']
      return { event: name, data: data === '[DONE]' ? data : (JSON.parse(data) as Json) }
    })
}

/** What stands at a path such as `choices.0.message`; undefined where there is nothing. */
export function dig(value: unknown, path: string): unknown {
  let found = value
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Json)[key]
  }
  return found
}

/** The text at a path; empty where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = dig(value, path)
  return typeof found === 'string' ? found : ''
}
