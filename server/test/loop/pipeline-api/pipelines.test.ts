// Pipelines as records: names, tags, revisions, and what stays when one is deleted.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { newId } from '#server/lib/id.ts'
import { otherOrg } from '#test/support/accounts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone

before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const model = { id: trainableModel }

function call(method: string, path: string, body?: unknown, key = hone.owner.key): Promise<Answer> {
  return hone.call(method, `/api/loop/pipelines${path}`, { key, ...(body ? { body } : {}) })
}

const pipelineOf = (answer: Answer): Pipeline =>
  (answer.json as unknown as { pipeline: Pipeline }).pipeline

test('the models that can be trained, and no other', async () => {
  const answer = await hone.call('GET', '/api/loop/models', { key: hone.owner.key })
  const { models } = answer.json as unknown as { models: { id: string; recommended: boolean }[] }
  assert.deepEqual(
    models.map(({ id, recommended }) => [id, recommended]),
    [[trainableModel, true]],
  )
})

test('while the catalog is broken there is no list to choose from, and what was chosen stays', async () => {
  const list = (): Promise<Answer> => hone.call('GET', '/api/loop/models', { key: hone.owner.key })
  const good = await readFile(hone.catalogFile, 'utf8')
  await writeFile(hone.catalogFile, '{ "models": [')
  await hone.app.catalog.reload()
  const broken = await list()
  assert.deepEqual([broken.status, broken.json.error?.code], [503, 'MODELS_UNAVAILABLE'])
  assert.equal(broken.headers.get('retry-after'), '5')
  assert.equal((await call('POST', '', { name: 'Meanwhile', model })).status, 201)
  await writeFile(hone.catalogFile, good)
  await hone.app.catalog.reload()
  assert.equal((await list()).status, 200)
})

test('one that was created is read and listed as it is', async () => {
  const made = pipelineOf(await call('POST', '', { name: 'Support Bot', model }))
  assert.equal(made.tag, 'support-bot')
  assert.equal(made.model_name, 'loop-support-bot')
  assert.equal(made.enabled, true)
  assert.equal(made.revision, 1)
  assert.equal(made.live_version, null)
  assert.deepEqual(made.samples, { total: 0, accepted: 0, edited: 0, rejected: 0, unreviewed: 0 })
  assert.deepEqual(pipelineOf(await call('GET', `/${made.rule_id}`)), made)
  const list = (await call('GET', '')).json as unknown as { pipelines: Pipeline[] }
  assert.deepEqual(list.pipelines[0], made)
})

test('samples and calls that missed it are counted', async () => {
  const { rule_id } = await hone.pipeline('Counted')
  const post = (feedback?: string): Promise<Answer> =>
    hone.call('POST', '/api/loop/traces', {
      key: hone.owner.key,
      body: {
        deployment_id: 'counted',
        prompt: 'q',
        completion: 'a',
        ...(feedback ? { feedback } : {}),
      },
    })
  await Promise.all([post(), post('good'), post('bad'), post('good')])
  assert.deepEqual(pipelineOf(await call('GET', `/${rule_id}`)).samples, {
    total: 4,
    accepted: 2,
    edited: 0,
    rejected: 1,
    unreviewed: 1,
  })
})

describe('a name', () => {
  test('is taken once, also by a deleted pipeline', async () => {
    const { rule_id } = await hone.pipeline('Taken')
    assert.equal(
      (await call('POST', '', { name: 'Taken', model })).json.error?.code,
      'PIPELINE_NAME_TAKEN',
    )
    await call('DELETE', `/${rule_id}`)
    const answer = await call('POST', '', { name: 'Taken', model })
    assert.equal(answer.status, 409)
    assert.equal(answer.json.error?.code, 'PIPELINE_NAME_TAKEN')
    assert.equal(answer.headers.get('x-should-retry'), 'false')
  })

  test('that differs from another in case, white space or accents as written is that name', async () => {
    const first = await hone.pipeline('Отдел  café')
    const codes = ['отдел CAFÉ', 'Отдел\tcafe\u0301'].map(async (name) => {
      const { status, json } = await call('POST', '', { name, model })
      return [status, json.error?.code]
    })
    const taken = [409, 'PIPELINE_NAME_TAKEN']
    assert.deepEqual(await Promise.all(codes), [taken, taken])
    const { rule_id } = await hone.pipeline('Отдел')
    const renamed = await call('PUT', `/${rule_id}`, { name: 'отдел café' })
    assert.equal(renamed.json.error?.code, 'PIPELINE_NAME_TAKEN')
    const same = await call('PUT', `/${first.rule_id}`, { name: 'Отдел café' })
    assert.equal(pipelineOf(same).name, 'Отдел café', 'its own in another spelling')
  })

  test('that makes a tag of another is refused', async () => {
    await hone.pipeline('Same Tag')
    const answer = await call('POST', '', { name: 'same-tag', model })
    assert.equal(answer.status, 409)
    assert.equal(answer.json.error?.code, 'OWN_TAG_TAKEN')
  })

  for (const name of ['Serverless', 'serverless!', 'Plain']) {
    test(`${name}, whose tag models are configured under, is refused`, async () => {
      const answer = await call('POST', '', { name, model })
      assert.equal(answer.status, 409, answer.text)
      assert.equal(answer.json.error?.code, 'OWN_TAG_TAKEN')
    })
  }

  test('at the same moment goes to one of two', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('POST', '', { name: 'Race', model })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  })

  test('in another script has a tag of the id, which records like any other', async () => {
    const made = await hone.pipeline('客服')
    assert.equal(made.tag, `pipeline-${made.rule_id.slice(-6)}`)
    assert.equal(made.model_name, `loop-${made.tag}`)
    const sample = await hone.sampleOf(await hone.ask({ headers: { 'x-loop-pipeline': made.tag } }))
    assert.deepEqual(sample.tags, [made.tag])
  })

  for (const [name, status] of [
    ['', 400],
    ['   ', 400],
    ['n'.repeat(120), 201],
    ['m'.repeat(121), 400],
  ] as const) {
    test(`of ${name.length} characters is ${status}`, async () => {
      assert.equal((await call('POST', '', { name, model })).status, status)
    })
  }

  test('in another workspace is free', async () => {
    const stranger = await otherOrg(hone)
    await hone.pipeline('Shared name')
    assert.equal(
      (await call('POST', '', { name: 'Shared name', model }, stranger.secret)).status,
      201,
    )
  })
})

describe('a body', () => {
  for (const [name, body, status, pattern] of [
    ['with an unknown field', { name: 'U', model, colour: 1 }, 400, /colour/],
    [
      'with a minimum of its own',
      { name: 'U', model, train_when: { min_samples: 5 } },
      400,
      /train_when/,
    ],
    ['with a version', { name: 'U', model, live_version: 3 }, 400, /live_version/],
    ['without a model', { name: 'U' }, 400, /model/],
    [
      'with a model that is none',
      { name: 'U', model: { id: 'nothing' } },
      422,
      /cannot be trained/,
    ],
    [
      'with a model that cannot be trained',
      { name: 'U', model: { id: 'plain' } },
      422,
      /cannot be trained/,
    ],
  ] as const) {
    test(`${name} is ${status}`, async () => {
      const answer = await call('POST', '', body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error?.message ?? '', pattern)
      if (status === 422) assert.equal(answer.json.error?.code, 'MODEL_NOT_TRAINABLE')
    })
  }
})

describe('changing one', () => {
  test('renames it and leaves its tag', async () => {
    const made = await hone.pipeline('Before')
    const answer = await call('PUT', `/${made.rule_id}`, { name: 'After', expected_revision: 1 })
    const changed = pipelineOf(answer)
    assert.equal(changed.name, 'After')
    assert.equal(changed.tag, 'before')
    assert.equal(changed.revision, 2)
  })

  test('pauses and resumes it', async () => {
    const { rule_id } = await hone.pipeline('Pausing')
    assert.equal(pipelineOf(await call('PUT', `/${rule_id}`, { enabled: false })).enabled, false)
    assert.equal(pipelineOf(await call('PUT', `/${rule_id}`, { enabled: true })).enabled, true)
  })

  test('over a revision that is gone is refused', async () => {
    const { rule_id } = await hone.pipeline('Revised')
    await call('PUT', `/${rule_id}`, { enabled: false })
    const answer = await call('PUT', `/${rule_id}`, { enabled: true, expected_revision: 1 })
    assert.equal(answer.status, 409)
    assert.equal(answer.json.error?.code, 'REVISION_MISMATCH')
    assert.equal(pipelineOf(await call('GET', `/${rule_id}`)).enabled, false)
  })

  test('to the name of another is refused', async () => {
    await hone.pipeline('First one')
    const { rule_id } = await hone.pipeline('Second one')
    const answer = await call('PUT', `/${rule_id}`, { name: 'First one' })
    assert.equal(answer.json.error?.code, 'PIPELINE_NAME_TAKEN')
  })
})

test('a deleted one is gone, its samples stay and its tag records no more', async () => {
  const { rule_id } = await hone.pipeline('Doomed')
  const headers = { 'x-loop-pipeline': 'doomed' }
  const config = { enabled: true, tags: ['x'] }
  await hone.call('PUT', '/api/loop/configs/doomed', { key: hone.owner.key, body: config })
  const sample = await hone.sampleOf(await hone.ask({ headers }))
  assert.equal((await call('DELETE', `/${rule_id}`)).status, 204)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await call(method, `/${rule_id}`)).status, 404)
  }
  assert.equal((await call('PUT', `/${rule_id}`, { enabled: false })).status, 404)
  const read = await hone.call('GET', `/api/loop/traces/${sample.id}`, { key: hone.owner.key })
  assert.equal(read.status, 200)
  assert.equal((await hone.ask({ headers })).headers.get('x-loop-sample-id'), null)
  const gone = await hone.call('GET', '/api/loop/configs/doomed', { key: hone.owner.key })
  assert.equal(gone.status, 404)
})

test('deleting one leaves the configuration of a model that came under its tag later', async () => {
  const { rule_id } = await hone.pipeline('Older than the model')
  await inDatabase(hone.databaseUrl, `update pipeline set tag = 'plain' where id = '${rule_id}'`)
  const source = '/api/loop/configs/plain'
  const body = { enabled: true, tags: ['kept'] }
  assert.equal((await hone.call('PUT', source, { key: hone.owner.key, body })).status, 200)
  assert.equal((await call('DELETE', `/${rule_id}`)).status, 204)
  const left = (await hone.call('GET', source, { key: hone.owner.key })).json as object
  assert.partialDeepStrictEqual(left, { config: body })
  await hone.call('DELETE', source, { key: hone.owner.key })
})

test('another workspace’s is 404, like none', async () => {
  const stranger = await otherOrg(hone)
  const { rule_id } = await hone.pipeline('Mine alone')
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { enabled: false }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await call(method, `/${rule_id}`, body, stranger.secret)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await call(method, '/no-such-id', body, stranger.secret)).text)
  }
  const list = await call('GET', '', undefined, stranger.secret)
  assert.ok(!list.text.includes(rule_id))
})

describe('a list', () => {
  type Page = { pipelines: Pipeline[]; next_cursor: string | null }
  const page = async (query: string, key: string): Promise<Page> => {
    const answer = await call('GET', query, undefined, key)
    assert.equal(answer.status, 200, answer.text)
    return answer.json as unknown as Page
  }
  const names = ({ pipelines }: Page): string[] => pipelines.map(({ name }) => name)

  test('has 20 a page, newest first, and its cursor leads to all the others', async () => {
    const { secret } = await otherOrg(hone)
    for (let index = 1; index <= 41; index++) await hone.pipeline(`Many ${index}`, secret)
    const many = (from: number, to: number): string[] =>
      Array.from({ length: from - to + 1 }, (_, index) => `Many ${from - index}`)
    const first = await page('', secret)
    assert.deepEqual(names(first), many(41, 22))
    // Neither what is made nor what is deleted between two pages moves the others.
    await hone.pipeline('Made between two pages', secret)
    await call('DELETE', `/${first.pipelines.at(-1)?.rule_id}`, undefined, secret)
    const second = await page(`?cursor=${first.next_cursor}`, secret)
    assert.deepEqual(names(second), many(21, 2))
    const third = await page(`?cursor=${second.next_cursor}`, secret)
    assert.deepEqual([names(third), third.next_cursor], [['Many 1'], null])
    const last = await page(`?limit=1&cursor=${second.next_cursor}`, secret)
    assert.deepEqual([names(last), last.next_cursor], [['Many 1'], null])
  })

  test('takes no cursor of another list, and no page of more than 20', async () => {
    const foreign = Buffer.from(`datasets:${newId(new Date())}`).toString('base64url')
    for (const query of [`?cursor=${foreign}`, '?cursor=', '?cursor=x', '?limit=21', '?limit=0']) {
      const answer = await call('GET', query)
      assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'], query)
    }
  })
})

describe('training by preferences or rewards', () => {
  const asked: object[] = [
    { training_method: 'dpo' },
    { rlhf_type: 'kto' },
    { method: 'GRPO' },
    { algorithm: 'ppo' },
    { algorithm: { name: 'reward' } },
    { training: { training_method: 'dpo' } },
    { training: { method: 'orpo' } },
    { training: { rlhf_type: true } },
    { training: { algorithm: 'preference' } },
  ]
  for (const body of asked) {
    test(`is not enabled: ${JSON.stringify(body)}`, async () => {
      const { rule_id, revision } = await hone.pipeline(`Method ${asked.indexOf(body)}`)
      const refusals = [
        await call('POST', '', { name: 'Never made', model, ...body }),
        await call('PUT', `/${rule_id}`, { enabled: false, ...body }),
      ]
      for (const { status, json } of refusals) {
        assert.deepEqual([status, json.error?.code], [422, 'METHOD_NOT_ENABLED'])
        assert.match(json.error?.message ?? '', /only supervised training is available/)
      }
      assert.equal(pipelineOf(await call('GET', `/${rule_id}`)).revision, revision)
    })
  }

  test('is not what a body asks for that names the training there is, or nothing', async () => {
    for (const body of [
      { method: 'sft' },
      { training_method: null },
      { algorithm: 'supervised' },
    ]) {
      const answer = await call('POST', '', { name: 'Never made', model, ...body })
      assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
      assert.match(answer.json.error?.message ?? '', new RegExp(Object.keys(body)[0] ?? ''))
    }
  })
})
