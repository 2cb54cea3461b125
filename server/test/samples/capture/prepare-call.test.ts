// A call that was handed over, as the sample it becomes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareCall } from '#server/samples/capture/prepare-call.ts'
import type { HandedCall } from '#server/samples/capture/recording-messages.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { readStoredText } from '#server/samples/sample/stored-text.ts'

const handed: HandedCall = {
  id: '019b76da-a800-7000-8000-000000000001',
  workspaceId: '019b76da-a800-7000-8000-000000000002',
  source: 'some/model',
  model: 'some/model',
  versionNo: 3,
  tags: ['support', 'mail'],
  requestId: 'order-17',
  createdAtMs: Date.UTC(2026, 0, 1, 12),
  retentionDays: 7,
  tools: [],
  system: [],
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'I am zoe@example.org' }] }],
  answer: [{ type: 'text', text: 'Hello zoe@example.org' }],
}
const redact = <T>(value: T): T => redactJson(value).value
const prepare = (changed: Partial<HandedCall> = {}) =>
  prepareCall(JSON.stringify({ ...handed, ...changed }), redact)

test('a call becomes a sample with all that is known of it, and nothing sensitive', () => {
  const sample = prepare()
  assert.ok(typeof sample !== 'string')
  const { text, ...about } = sample
  assert.deepEqual(about, {
    id: handed.id,
    workspaceId: handed.workspaceId,
    origin: 'captured',
    source: 'some/model',
    model: 'some/model',
    tags: ['support', 'mail'],
    requestId: 'order-17',
    importId: null,
    versionNo: 3,
    rowKey: null,
    shape: null,
    answered: true,
    objectKey: null,
    signal: null,
    createdAt: new Date('2026-01-01T12:00:00Z'),
    expiresAt: new Date('2026-01-08T12:00:00Z'),
  })
  const { messages, answer } = readStoredText(text.conversation)
  const said = JSON.stringify([messages, answer])
  assert.equal(said.split('redacted:email').length, 3, said)
  assert.ok(!JSON.stringify(sample).includes('zoe'))
})

test('the id of a request is kept as it is, as a fingerprint where it is sensitive, or not at all', () => {
  const kept = (requestId: string | null): string | null => {
    const sample = prepare({ requestId })
    assert.ok(typeof sample !== 'string')
    return sample.requestId
  }
  assert.equal(kept('order-17'), 'order-17')
  assert.equal(kept(null), null)
  assert.match(kept('zoe@example.org') ?? '', /^sha256:[\w-]{43}$/)
})

test('a conversation of as many bytes as a sample may have is kept, and of one more is too large', () => {
  const ofText = (characters: number) =>
    prepare({ answer: [{ type: 'text', text: 'x'.repeat(characters) }] })
  const small = ofText(0)
  assert.ok(typeof small !== 'string')
  const room = 4 * 1024 * 1024 - small.text.bytes
  const most = ofText(room)
  assert.equal(typeof most === 'string' ? most : most.text.bytes, 4 * 1024 * 1024)
  assert.equal(ofText(room + 1), 'too_large')
})

test('what fails on the way is not kept, and no error leaves with a piece of it', () => {
  const fails = (): never => {
    throw new Error('zoe@example.org')
  }
  assert.equal(prepareCall(JSON.stringify(handed), fails), 'not_redacted')
  assert.equal(prepareCall('{"id":', redact), 'not_redacted')
})
