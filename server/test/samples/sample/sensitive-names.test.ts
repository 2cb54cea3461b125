// Names that callers make up around a conversation: none brings something sensitive into the database, and none, however
// long, keeps what was counted from being written.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { tablesWith } from '#test/support/database-text.ts'
import { imported, served } from '#test/support/imports.ts'
import { eventually, type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
let pipelineId: string
before(async () => {
  hone = await loopHone()
  pipelineId = (await hone.pipeline('Support')).rule_id
})
after(() => hone.stop())

const qa = { prompt: 'A question', completion: 'An answer' }

function call(method: string, path: string, body: unknown): Promise<Answer> {
  return hone.call(method, `/api/loop${path}`, { key: hone.owner.key, body })
}

async function tagsCounted(): Promise<string[]> {
  return (await hone.stats()).capture.counts.map(({ tag }) => tag)
}

test('a tag of any length is counted, and what else is counted is not held up by it', async () => {
  // Random, because an index makes long repetitions short.
  const long = randomBytes(3500).toString('hex')
  assert.equal((await hone.ask({ headers: { 'x-loop-pipeline': long } })).status, 200)
  await hone.ask({ headers: { 'x-loop-pipeline': 'short' } })
  const tags = await eventually(tagsCounted, (list) => list.length === 2)
  assert.ok(tags.includes('short'))
  assert.ok(tags.some((tag) => tag.startsWith('sha256:')))
})

test('an unknown tag that holds something sensitive is only fingerprinted', async () => {
  const before = (await tagsCounted()).length
  await hone.ask({ headers: { 'x-loop-pipeline': 'of-ada@example.com' } })
  await eventually(tagsCounted, (list) => list.length === before + 1)
  assert.deepEqual(await tablesWith(hone.app.storage.db, 'of-ada@example.com'), [])
})

test('so is the model of a posted sample', async () => {
  const body = { deployment_id: 'support', ...qa, model: 'tuned-for-max@example.com' }
  assert.equal((await call('POST', '/traces', body)).status, 201)
  assert.deepEqual(await tablesWith(hone.app.storage.db, 'max@example.com'), [])
})

test('so is the id of an import, which is known again all the same', async () => {
  const import_id = 'from:203.0.113.77'
  const first = await imported(hone, { import_id, rows: [qa] })
  assert.equal(first.import_id, import_id)
  assert.equal((await imported(hone, { import_id, rows: [qa] })).already_present, 1)
  assert.deepEqual(await tablesWith(hone.app.storage.db, '203.0.113.77'), [])
})

test('one import_id for a pipeline and for none are two imports', async () => {
  const given = { import_id: 'monday', row_ids: ['1'] }
  await imported(hone, { ...given, rows: [qa] })
  const path = `/pipelines/${pipelineId}/import`
  const body = { ...given, rows: [{ prompt: 'Another', completion: 'Other' }] }
  const there = served(await call('POST', path, body))
  assert.equal(there.imported, 1)
  assert.equal(served(await call('POST', path, body)).already_present, 1)
})

describe('a label that holds something sensitive is refused', () => {
  for (const label of ['card-4111111111111111', '203.0.113.77', 'ssn-078-05-1120']) {
    test(label, async () => {
      const { trace } = (await call('POST', '/traces', { deployment_id: 'support', ...qa }))
        .json as unknown as { trace: { id: string } }
      const labels = ['fine', label]
      for (const answer of [
        await call('POST', '/traces', { deployment_id: 'support', ...qa, labels }),
        await call('POST', `/traces/${trace.id}/signals`, { verdict: 'good', labels }),
        await call('POST', '/import', { source: 'a file', rows: [qa], labels }),
        await call('POST', `/pipelines/${pipelineId}/import`, { rows: [qa], labels }),
        await call('PUT', '/configs/serverless', { enabled: true, tags: labels }),
      ]) {
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.json.error?.message ?? '', /redacted:.*choose another/)
        assert.ok(!answer.text.includes(label))
      }
      assert.deepEqual(await tablesWith(hone.app.storage.db, label), [])
    })
  }

  test('and those that only look like it are taken', async () => {
    const labels = ['v1.2.3.4', '2026-11-15', 'order-1234567890', 'llama-3.1-8b']
    const answer = await call('POST', '/traces', { deployment_id: 'support', ...qa, labels })
    assert.equal(answer.status, 201, answer.text)
  })
})

describe('the name of a dataset or pipeline that holds something sensitive is refused', () => {
  const model = { id: trainableModel }
  for (const [name, kind, secret] of [
    ['Mails of grace@example.com', 'an e-mail address', 'grace@example.com'],
    [
      'Prod sk-proj-9aZ8yX7wV6uT5sR4qP3oN2mL1kJ0iH9gF8eD7cB6',
      'a key, token or password',
      '9aZ8yX7wV6uT5sR4qP3oN2mL1kJ0iH9gF8eD7cB6',
    ],
    ['Refunds to 4111 1111 1111 1111', 'a card number', '4111 1111 1111 1111'],
  ] as const) {
    test(kind, async () => {
      const dataset = await call('POST', '/datasets', { name: `Plain for ${kind}` })
      const { id } = (dataset.json as unknown as { dataset: { id: string } }).dataset
      for (const answer of [
        await call('POST', '/datasets', { name }),
        await call('PUT', `/datasets/${id}`, { name }),
        await call('POST', '/pipelines', { name, model }),
        await call('PUT', `/pipelines/${pipelineId}`, { name }),
      ]) {
        assert.equal(answer.status, 400, answer.text)
        const message = answer.json.error?.message ?? ''
        assert.match(message, new RegExp(`^body field name: .*holds ${kind}.*choose another`))
        assert.ok(!answer.text.includes(secret))
      }
      assert.deepEqual(await tablesWith(hone.app.storage.db, secret), [])
    })
  }

  test('also where only the tag of a pipeline would hold it', async () => {
    for (const name of ['Card 4111, 1111, 1111, 1111', '4111_1111_1111_1111']) {
      const answer = await call('POST', '/pipelines', { name, model })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', /holds a card number/)
    }
    assert.deepEqual(await tablesWith(hone.app.storage.db, '1111-1111'), [])
  })

  test('and those that only look like it are taken', async () => {
    for (const name of [
      'Refunds 2026-11-15',
      'Orders 1234567890 to 1234567899',
      'v1.2.3 @ production',
      'Skeleton keys and tokens',
      'a.b.c',
      '<b>Größe</b> 100 %',
    ]) {
      assert.equal((await call('POST', '/datasets', { name })).status, 201, name)
      assert.equal((await call('POST', '/pipelines', { name, model })).status, 201, name)
    }
  })
})

test('a dataset by a label that nothing may carry is refused, in creation and change', async () => {
  const made = await call('POST', '/datasets', { name: 'By label' })
  const { id } = (made.json as unknown as { dataset: { id: string } }).dataset
  const conditions = { tags: ['fine', 'card-4111111111111111'] }
  for (const answer of [
    await call('POST', '/datasets', { name: 'By card', conditions }),
    await call('PUT', `/datasets/${id}`, { conditions }),
  ]) {
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.error?.message ?? '', /conditions\.tags.*redacted:card/)
  }
  assert.deepEqual(await tablesWith(hone.app.storage.db, '4111111111111111'), [])
})

test('a model that is only fingerprinted is still found by its name, in lists and datasets', async () => {
  const model = 'tuned-for-eve@example.com'
  await call('POST', '/traces', { deployment_id: 'support', ...qa, model })
  const key = hone.owner.key
  const query = `/api/loop/traces?model=${encodeURIComponent(model)}`
  const listed = await hone.call('GET', query, { key })
  assert.equal((listed.json as unknown as { total: number }).total, 1)
  const made = await call('POST', '/datasets', { name: 'Tuned', conditions: { model } })
  const { dataset } = made.json as unknown as { dataset: { id: string; samples: number } }
  assert.equal(dataset.samples, 1)
  const again = await call('PUT', `/datasets/${dataset.id}`, { conditions: { model } })
  assert.equal((again.json as unknown as { dataset: typeof dataset }).dataset.samples, 1)
  assert.deepEqual(await tablesWith(hone.app.storage.db, 'eve@example.com'), [])
})
