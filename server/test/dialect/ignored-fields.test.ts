// Fields that a dialect does not know or does nothing about: ignored, and named in the log, where nothing else of a body may ever stand.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { foreignToChat } from '#server/dialect/chat/fields.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { ignoredFields } from '#server/dialect/ignored-fields.ts'
import { foreignToMessages } from '#server/dialect/messages/fields.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import {
  type ChaosHone,
  chaosHone,
  type DialectName,
  dialects,
  leastBody,
  paths,
} from '#test/support/chaos-hone.ts'

type Line = { msg: string; request_id: string; fields: string[] }

let rig: ChaosHone
let lines: string[] = []
before(async () => {
  rig = await chaosHone()
  rig.hone.app.log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
})
after(() => rig.stop())

async function loggedFor(path: string, fields: object): Promise<Line[]> {
  lines = []
  const answer = await rig.hone.call('POST', path, {
    bearer: rig.hone.owner.key,
    headers: { 'x-request-id': 'one-call' },
    body: { model: 'ok', ...leastBody, ...fields },
  })
  if (path !== '/v1/messages/count_tokens') assert.equal(answer.status, 200, answer.text)
  await rig.settled()
  const all = lines.map((line) => JSON.parse(line) as Line)
  return all.filter(({ msg }) => msg === 'fields were ignored')
}

for (const path of [...Object.values(paths), '/v1/messages/count_tokens']) {
  test(`their names are logged once, and nothing of what they hold: ${path}`, async () => {
    const fields = { min_p: 'a canary text', chat_template_kwargs: { deep_name: true } }
    const [line, ...more] = await loggedFor(path, fields)
    assert.deepEqual(line?.fields, ['min_p', 'chat_template_kwargs'])
    assert.equal(line.request_id, 'one-call')
    assert.deepEqual(more, [])
    assert.doesNotMatch(lines.join(''), /canary|deep_name/)
  })

  test(`a body without any adds nothing to the log: ${path}`, async () => {
    assert.deepEqual(await loggedFor(path, { temperature: 0, min_p: null }), [])
  })

  test(`a text or a key where a name belongs stays out of the log: ${path}`, async () => {
    const key = `hone_${'aB3dE6gH9j'.repeat(5)}`
    const fields = { 'what ails me?': 1, [rig.hone.owner.key]: 1, [key]: 1, 'sk-12-34': 1, é: 1 }
    assert.deepEqual(await loggedFor(path, fields), [])
    assert.ok(!lines.join('').includes(key))
  })
}

test('ten names at most, each cut short', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field_${i}`, i]))
  assert.equal(ignoredFields(many, 'chat').length, 10)
  const long = 'a_long_'.repeat(100)
  assert.deepEqual(ignoredFields({ [long]: 1 }, 'chat'), [long.slice(0, 64)])
})

test('names in capitals, with digits or behind an underscore are names', () => {
  const names = ['topK', 'TopK', 'TOP_K', '_meta', 'x2', 'a']
  const body = Object.fromEntries(names.map((name) => [name, 1]))
  for (const dialect of dialects) assert.deepEqual(ignoredFields(body, dialect), names)
})

/** Every field that reading the least body of a dialect looks for. */
function lookedFor(dialect: DialectName): string[] {
  const seen = new Set<string>()
  const body = new Proxy<Record<string, unknown>>(
    { model: 'ok', ...leastBody },
    {
      get(target, name) {
        seen.add(String(name))
        return Reflect.get(target, name) as unknown
      },
      getOwnPropertyDescriptor(target, name) {
        seen.add(String(name))
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
    },
  )
  if (dialect === 'chat') parseChat(body)
  else parseMessagesBody(body)
  const foreign = dialect === 'chat' ? foreignToChat : foreignToMessages
  return [...seen].filter((name) => !Object.hasOwn(foreign, name))
}

/** Read, so that they may not be anything, and then ignored. */
const withoutEffect: Record<DialectName, string[]> = {
  chat: ['logprobs', 'top_logprobs', 'store', 'service_tier', 'web_search_options'],
  messages: [],
}

test('fields of the chat dialect that only other services act on are named, unless they ask for nothing', async () => {
  const fields = { logprobs: true, top_logprobs: 2, store: true, service_tier: 'flex' }
  const [line] = await loggedFor(paths.chat, {
    ...fields,
    web_search_options: {},
    verbosity: 'low',
  })
  assert.deepEqual(line?.fields, [...Object.keys(fields), 'web_search_options'])
  const nothing = { logprobs: false, top_logprobs: 0, store: false, service_tier: 'auto' }
  assert.deepEqual(await loggedFor(paths.chat, { ...nothing, web_search_options: null }), [])
})

for (const dialect of dialects) {
  test(`of the fields that are read only those without effect are named: ${dialect}`, () => {
    const read = lookedFor(dialect)
    assert.ok(read.length > 15, read.join())
    const body = Object.fromEntries(read.map((name) => [name, 1]))
    assert.deepEqual(ignoredFields(body, dialect).toSorted(), withoutEffect[dialect].toSorted())
  })
}
