// Revisions: what changes nothing leaves them as they are, what changes something raises them by one, and whoever sends none
// is never refused for what others write at the same time. Spec 2, versioning.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'

type Revised = { name: string; revision: number; updated_at: string }

const clock = new ManualClock()
let hone: LoopHone
before(async () => {
  hone = await loopHone({ clock })
})
after(() => hone.stop())

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return hone.call(method, `/api/loop${path}`, { key: hone.owner.key, ...(body ? { body } : {}) })
}

async function events(): Promise<number> {
  const { json } = await hone.call('GET', '/api/audit?limit=200', { key: hone.owner.key })
  return (json as unknown as { audit_events: unknown[] }).audit_events.length
}

const conditions = { tags: ['a', 'b'], match: 'all', feedback: 'good', model: 'plain' }
const kinds = [
  {
    path: '/pipelines',
    create: { name: 'Support', model: { id: trainableModel } },
    same: [{}, { name: ' Support ' }, { model: { id: trainableModel }, enabled: true }],
    other: { enabled: false },
    of: ({ json }: Answer) =>
      (json as unknown as { pipeline: Revised & { rule_id: string } }).pipeline,
    idOf: (answer: Answer) =>
      (answer.json as unknown as { pipeline: { rule_id: string } }).pipeline.rule_id,
  },
  {
    path: '/datasets',
    create: { name: 'Support', conditions },
    same: [{}, { name: 'Support' }, { conditions: { ...conditions, feedback: 'accepted' } }],
    other: { conditions: { tags: ['a'] } },
    of: ({ json }: Answer) => (json as unknown as { dataset: Revised }).dataset,
    idOf: (answer: Answer) => (answer.json as unknown as { dataset: { id: string } }).dataset.id,
  },
]

for (const { path, create, same, other, of, idOf } of kinds) {
  describe(path, () => {
    test('what changes nothing leaves revision, time and log', async () => {
      const made = await call('POST', path, create)
      const [at, before] = [`${path}/${idOf(made)}`, of(made)]
      const logged = await events()
      clock.forward(1000)
      for (const body of [...same, { ...same[1], expected_revision: 1 }]) {
        const answer = await call('PUT', at, body)
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual(of(answer), before, JSON.stringify(body))
      }
      assert.deepEqual(of(await call('GET', at)), before)
      assert.equal(await events(), logged)
      const late = await call('PUT', at, { ...same[1], expected_revision: 2 })
      assert.equal(
        late.json.error?.code,
        'REVISION_MISMATCH',
        'a revision is looked at all the same',
      )
      const changed = of(await call('PUT', at, { ...other, expected_revision: 1 }))
      assert.equal(changed.revision, 2)
      assert.notEqual(changed.updated_at, before.updated_at)
      assert.equal(await events(), logged + 1)
    })

    test('many who send no revision all get their turn', async () => {
      const made = await call('POST', path, { ...create, name: 'Busy' })
      const at = `${path}/${idOf(made)}`
      const names = Array.from({ length: 12 }, (_, nr) => `Busy ${nr}`)
      const answers = await Promise.all(names.map((name) => call('PUT', at, { name })))
      for (const answer of answers) assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(
        answers.map((answer) => of(answer).revision).sort((a, b) => a - b),
        names.map((_, nr) => nr + 2),
      )
      const last = answers.find((answer) => of(answer).revision === names.length + 1)
      assert.deepEqual(of(await call('GET', at)), last && of(last))
    })

    test('a change that meets a deletion is there before it or finds nothing', async () => {
      for (let round = 0; round < 5; round++) {
        const made = await call('POST', path, { ...create, name: `Leaving ${round}` })
        const at = `${path}/${idOf(made)}`
        const [gone, ...puts] = await Promise.all([
          call('DELETE', at),
          ...[1, 2, 3].map((nr) => call('PUT', at, { name: `Left ${round} ${nr}` })),
          call('DELETE', at),
        ])
        const again = puts.pop()
        assert.deepEqual([gone?.status, again?.status].sort(), [204, 404])
        for (const { status, text } of puts) assert.ok([200, 404].includes(status), text)
        assert.equal((await call('GET', at)).status, 404)
      }
    })
  })
}

test('a configuration that is put again as it is keeps its time and is not logged twice', async () => {
  const config = { enabled: true, tags: ['a'], sample_rate: 0.5 }
  const first = await call('PUT', '/configs/plain', config)
  const logged = await events()
  clock.forward(1000)
  for (const body of [
    config,
    { ...config, retention_days: null },
    { ...config, tags: ['a', 'a'] },
  ]) {
    assert.equal((await call('PUT', '/configs/plain', body)).text, first.text)
  }
  assert.equal(await events(), logged)
  const other = await call('PUT', '/configs/plain', { ...config, sample_rate: 1 })
  assert.notEqual(other.text, first.text)
  assert.equal(await events(), logged + 1)
})

test('ids of pipelines and datasets are read in either case, and name the same import', async () => {
  const { rule_id, name } = await hone.pipeline('Shouted')
  const shouted = `/pipelines/${rule_id.toUpperCase()}`
  const read = await call('GET', shouted)
  assert.equal((read.json as unknown as { pipeline: Revised }).pipeline.name, name)
  const rows = [{ prompt: 'q', completion: 'a' }]
  await call('POST', `/pipelines/${rule_id}/import`, { rows, import_id: 'once' })
  const again = await call('POST', `${shouted}/import`, { rows, import_id: 'once' })
  assert.equal((again.json as unknown as { already_present: number }).already_present, 1)
  assert.equal((await call('PUT', shouted, { enabled: false })).status, 200)
  assert.equal((await call('DELETE', shouted)).status, 204)
  const made = await call('POST', '/datasets', { name: 'Shouted' })
  const { id } = (made.json as unknown as { dataset: { id: string } }).dataset
  const dataset = `/datasets/${id.toUpperCase()}`
  for (const [method, body] of [['GET'], ['PUT', { name: 'Quiet' }], ['DELETE']] as const) {
    assert.ok((await call(method, dataset, body)).status < 300, method)
  }
})
