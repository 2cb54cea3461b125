// The settings of a pipeline over HTTP: what it answers, what saving it means, and which samples it counts.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { newId } from '#server/lib/id.ts'
import { imported } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'

const clock = new ManualClock()
let hone: LoopHone
before(async () => {
  hone = await loopHone({ clock })
})
after(() => hone.stop())

const model = { id: trainableModel }

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return hone.call(method, `/api/loop${path}`, { key: hone.owner.key, ...(body ? { body } : {}) })
}

function pipelineOf(answer: Answer): Pipeline {
  assert.ok(answer.status < 300, answer.text)
  return (answer.json as unknown as { pipeline: Pipeline }).pipeline
}

const read = async (id: string): Promise<Pipeline> =>
  pipelineOf(await call('GET', `/pipelines/${id}`))
const put = (id: string, body: object): Promise<Answer> => call('PUT', `/pipelines/${id}`, body)

async function events(): Promise<unknown[]> {
  const { json } = await hone.call('GET', '/api/audit?limit=200', { key: hone.owner.key })
  return (json as unknown as { audit_events: unknown[] }).audit_events
}

test('one that was only named has the defaults of every field', async () => {
  const made = await hone.pipeline('Plain settings')
  const { rule_id, created_at, updated_at, capture, storage, samples, ...rest } = made
  assert.deepEqual(rest, {
    name: 'Plain settings',
    tag: 'plain-settings',
    model_name: 'loop-plain-settings',
    model,
    challenger_model: null,
    tags: [],
    conditions: null,
    datasets: [],
    use_case: null,
    enabled: true,
    state: 'enabled',
    revision: 1,
    consented_revision: 1,
    training: {
      epochs: null,
      learning_rate: null,
      lora_rank: null,
      lora_alpha: null,
      replay_percent: null,
    },
    training_defaults: {
      epochs: 15,
      learning_rate: 0.0002,
      lora_rank: 16,
      lora_alpha: 32,
      replay_percent: 50,
      min_epochs: 3,
      steps: 900,
    },
    builds_on: 'live',
    schedule: null,
    holdout: { percent: 5 },
    promotion: { policy: 'holdout', k: null, evidence: 'each' },
    promotion_chance: 0.038,
    auto_scoring: true,
    max_versions: null,
    judge_model: rest.judge_model,
    judge: {
      model: rest.judge_model.id,
      agreement_with_people: null,
      pairs: 0,
      order_flips: null,
      passes_known_bad: null,
      prefers_longer: null,
    },
    benchmarks: [],
    versions: [],
    versions_total: 0,
    attempts: [],
    attempts_total: 0,
    active_run: null,
    live_version: null,
    live_deployment: null,
    chain: null,
    second_model: null,
    minimums: {
      have: 0,
      need: 1100,
      new_samples: 0,
      unreviewed: 0,
      ready: false,
      reason: '0 of 1,100 good or corrected samples are there, so 1,100 more are needed.',
    },
    next_reason: rest.next_reason,
    scoring_capped_until: null,
    needs_funds: false,
  })
  assert.match(rest.next_reason, /^Nothing is selected yet/)
  assert.ok(rule_id && created_at && updated_at && capture && storage && samples)
  assert.notEqual(rest.judge_model.id, trainableModel)
})

const settings = {
  tags: ['mail', 'letters'],
  conditions: { feedback: 'edited', from: '2026-01-01T00:00:00Z' },
  use_case: 'Answers name one desk.',
  training: {
    epochs: 4,
    learning_rate: 0.001,
    lora_rank: 8,
    lora_alpha: 16,
    replay_percent: 0,
  },
  builds_on: 'base',
  schedule: { every: 'month', at: '23:59', day: 31 },
  holdout: { percent: 20 },
  promotion: { policy: 'k_of_n', k: 1, evidence: 'life' },
  auto_scoring: false,
  max_versions: 100,
  judge_model: { id: 'plain' },
} as const

test('what is chosen is stored, and sent back as it is it changes nothing', async () => {
  const { dataset } = (await call('POST', '/datasets', { name: 'Chosen' })).json as unknown as {
    dataset: { id: string }
  }
  const chosen = { ...settings, datasets: [dataset.id] }
  const made = pipelineOf(await call('POST', '/pipelines', { name: 'Chosen', model, ...chosen }))
  assert.partialDeepStrictEqual(made, chosen)
  assert.equal(made.minimums.need, 1250)
  const { rule_id } = await hone.pipeline('Changed later')
  const changed = pipelineOf(await put(rule_id, chosen))
  assert.partialDeepStrictEqual(changed, { ...chosen, revision: 2, consented_revision: 2 })
  const again = pipelineOf(await put(rule_id, { name: changed.name, model, ...chosen }))
  assert.deepEqual(again, changed)
  assert.deepEqual(await read(rule_id), changed)
})

describe('a save', () => {
  test('is consent, also when it changes nothing', async () => {
    const { rule_id } = await hone.pipeline('Consented')
    await inDatabase(hone.databaseUrl, `update pipeline set revision = 7 where id = '${rule_id}'`)
    assert.match((await read(rule_id)).next_reason, /^The settings have changed since/)
    const logged = (await events()).length
    const saved = pipelineOf(await put(rule_id, {}))
    assert.deepEqual([saved.revision, saved.consented_revision], [7, 7])
    assert.equal((await events()).length, logged + 1)
  })

  test('picks another judge where the one it has left the catalog and none is named', async () => {
    const { rule_id, judge_model } = await hone.pipeline('Judged')
    await inDatabase(
      hone.databaseUrl,
      `update pipeline set judge_model = 'gone' where id = '${rule_id}'`,
    )
    assert.match((await read(rule_id)).next_reason, /^The judge gone is no longer in the catalog/)
    const saved = pipelineOf(await put(rule_id, {}))
    assert.deepEqual([saved.judge_model, saved.revision], [judge_model, 2])
  })

  test('is refused while the files of the model cannot be read, unless it pauses', async () => {
    const { rule_id } = await hone.pipeline('Unreadable')
    const { modelStore } = hone.app.learning
    const keepModel = modelStore.keepModel.bind(modelStore)
    modelStore.keepModel = () => Promise.reject(new Error('the disk is gone'))
    try {
      for (const answer of [
        await put(rule_id, { use_case: 'x' }),
        await call('POST', '/pipelines', { name: 'Never made', model }),
      ]) {
        assert.equal(answer.json.error?.code, 'MODEL_REVISION_UNAVAILABLE', answer.text)
      }
      assert.equal(pipelineOf(await put(rule_id, { enabled: false })).state, 'paused')
    } finally {
      modelStore.keepModel = keepModel
    }
  })

  test('is refused while no machine of the catalog trains the model, or only one that is too small', async () => {
    const { rule_id } = await hone.pipeline('Without a machine')
    const good = await readFile(hone.catalogFile, 'utf8')
    const small = {
      name: 'small',
      engine: 'embedded',
      memory_gb: 0.000001,
      training_usd_per_hour: 1,
      serving_usd_per_hour: 0,
    }
    try {
      for (const [machines, code] of [
        [[], 'NO_GPU_FITS'],
        [[{ ...small, engine: 'slurm', memory_gb: 80 }], 'NO_GPU_FITS'],
        [[small], 'MODEL_NOT_TRAINABLE'],
      ] as const) {
        await writeFile(hone.catalogFile, JSON.stringify({ ...JSON.parse(good), machines }))
        await hone.app.catalog.reload()
        for (const answer of [
          await put(rule_id, {}),
          await call('POST', '/pipelines', { name: 'Never made', model }),
        ]) {
          assert.equal(answer.json.error?.code, code, answer.text)
        }
      }
      await writeFile(hone.catalogFile, JSON.stringify({ ...JSON.parse(good), machines: [] }))
      await hone.app.catalog.reload()
      await writeFile(hone.catalogFile, 'no catalog')
      await hone.app.catalog.reload()
      for (const answer of [
        await put(rule_id, {}),
        await call('POST', '/pipelines', { name: 'Never made', model }),
      ]) {
        assert.equal(answer.json.error?.code, 'GPU_OPTIONS_UNAVAILABLE', answer.text)
        assert.equal(answer.headers.get('retry-after'), '5')
      }
    } finally {
      await writeFile(hone.catalogFile, good)
      await hone.app.catalog.reload()
    }
  })

  test('is a change when the files of the model have changed', async () => {
    const { rule_id } = await hone.pipeline('Other files')
    const { modelStore } = hone.app.learning
    const keepModel = modelStore.keepModel.bind(modelStore)
    modelStore.keepModel = () => Promise.resolve('another hash')
    try {
      assert.equal(pipelineOf(await put(rule_id, {})).revision, 2)
    } finally {
      modelStore.keepModel = keepModel
    }
  })

  test('keeps what two members change at the same time', async () => {
    const { rule_id } = await hone.pipeline('Two members')
    const bodies = [
      { training: { epochs: 4 } },
      { training: { lora_rank: 8 } },
      { holdout: { percent: 10 } },
      { use_case: 'x' },
    ]
    await Promise.all(bodies.map((body) => put(rule_id, body)))
    const saved = await read(rule_id)
    assert.partialDeepStrictEqual(saved, {
      training: { epochs: 4, lora_rank: 8 },
      holdout: { percent: 10 },
      use_case: 'x',
      revision: 5,
      consented_revision: 5,
    })
  })
})

describe('a body is refused', () => {
  const absent = newId(new Date())
  const refused: [body: object, code: string, message: RegExp][] = [
    [{ datasets: [absent] }, 'BAD_REQUEST', new RegExp(absent)],
    [{ train_when: { min_samples: 10 } }, 'BAD_REQUEST', /train_when/],
    [{ training: { batch_size: 4 } }, 'BAD_REQUEST', /training\.batch_size/],
    [{ training: { epochs: '4' } }, 'BAD_REQUEST', /training\.epochs/],
    [{ holdout: { percent: 21 } }, 'BAD_REQUEST', /holdout\.percent/],
    [{ promotion: { policy: 3 } }, 'BAD_REQUEST', /promotion\.policy/],
    [{ promotion: { evidence: 'once' } }, 'BAD_REQUEST', /promotion\.evidence/],
    [{ schedule: { every: 'day', at: '25:00' } }, 'BAD_REQUEST', /schedule\.at/],
    [{ schedule: { every: 'day', at: '05:00', day: 3 } }, 'BAD_REQUEST', /schedule\.day/],
    [{ schedule: { every: 'month', at: '05:00', weekday: 'monday' } }, 'BAD_REQUEST', /weekday/],
    [{ conditions: { colour: 'red' } }, 'BAD_REQUEST', /conditions\.colour/],
    [{ tags: ['4012-8888-8888-1881'] }, 'BAD_REQUEST', /tags/],
    [{ minimums: {} }, 'BAD_REQUEST', /minimums/],
    [{ challenger_model: model }, 'MODEL_NOT_TRAINABLE', /both/],
    [{ judge_model: { id: 'no/such' } }, 'NO_JUDGE_MODEL', /no\/such/],
    [{ training: { epochs: 16 }, expected_revision: 9 }, 'TRAINING_SETTING_OUT_OF_RANGE', /15/],
    [{ promotion: { policy: 'primary' } }, 'PROMOTION_POLICY_NEEDS_BENCHMARK', /benchmark/],
    [{ name: 'Has that name', expected_revision: 9 }, 'REVISION_MISMATCH', /revision 1/],
    [{ name: 'Has that name' }, 'PIPELINE_NAME_TAKEN', /Has that name/],
    // What is wrong with the body is said before what cannot be had.
    [{ rlhf_type: 'dpo', holdout: { percent: 0 } }, 'BAD_REQUEST', /holdout\.percent/],
  ]
  let id: string
  before(async () => {
    await hone.pipeline('Has that name')
    id = (await hone.pipeline('Refusing')).rule_id
  })

  for (const [body, code, message] of refused) {
    test(`${JSON.stringify(body)} with ${code}`, async () => {
      const answer = await put(id, body)
      assert.equal(answer.json.error?.code, code, answer.text)
      assert.match(answer.json.error?.message ?? '', message)
      assert.equal((await read(id)).revision, 1)
    })
  }

  test('by 404 before anything about its values', async () => {
    const answer = await put(absent, { rlhf_type: 'dpo', training: { epochs: 99 } })
    assert.equal(answer.status, 404)
  })

  test('by what it asks for before the name and the tag are looked at', async () => {
    const taken = { name: 'Has that name', model: { id: 'no/such' } }
    const answer = await call('POST', '/pipelines', taken)
    assert.equal(answer.json.error?.code, 'MODEL_NOT_TRAINABLE')
  })
})

describe('counted is', () => {
  const good = { label: true, completion: 'Yes.' }
  const minimums = async (id: string) => {
    const { have, unreviewed, new_samples } = (await read(id)).minimums
    return { have, unreviewed, new_samples }
  }
  const counts = (have: number, unreviewed: number) => ({ have, unreviewed, new_samples: have })

  test('what has the own tag, one of the tags, or is in a dataset, once', async () => {
    const made = await hone.pipeline('Counting')
    const into = (labels: string[], rows: object[]) =>
      imported(hone, { source: 'file', labels, rows })
    await into(
      [made.tag],
      [
        { prompt: 'good', ...good },
        { prompt: 'corrected', completion: 'No.', correction: 'Yes.' },
        { prompt: 'bad', completion: 'No.', label: false },
        { prompt: 'unreviewed', completion: 'No.' },
        { prompt: 'unanswered' },
      ],
    )
    await into(['mail'], [{ prompt: 'by mail', ...good }])
    await into(['mail', 'letters'], [{ prompt: 'both', ...good }])
    await into(
      ['letters'],
      [
        { prompt: 'by letter', ...good },
        { prompt: 'l', completion: 'a' },
      ],
    )
    const { rule_id } = made
    assert.deepEqual(await minimums(rule_id), counts(2, 1))

    await put(rule_id, { tags: ['mail', made.tag] })
    assert.deepEqual(await minimums(rule_id), counts(4, 1))
    const dataset = await call('POST', '/datasets', {
      name: 'Letters',
      conditions: { tags: ['letters'], feedback: 'good' },
    })
    const { id } = (dataset.json as unknown as { dataset: { id: string } }).dataset
    await put(rule_id, { datasets: [id] })
    assert.deepEqual(await minimums(rule_id), counts(5, 1))

    await put(rule_id, { conditions: { tags: ['letters', made.tag], match: 'any' } })
    assert.deepEqual(await minimums(rule_id), counts(4, 1))
    await put(rule_id, { conditions: { feedback: 'edited' } })
    assert.deepEqual(await minimums(rule_id), counts(1, 0))
    await put(rule_id, { conditions: null })

    assert.equal((await call('DELETE', `/datasets/${id}`)).status, 204)
    assert.deepEqual(await minimums(rule_id), counts(4, 1))
    assert.deepEqual((await read(rule_id)).datasets, [id], 'it selects nothing and stays named')
  })

  test('no good one without an answer, and none whose time is over', async () => {
    const { rule_id, tag } = await hone.pipeline('Not counting')
    const rows = ['a', 'b', 'c'].map((prompt) => ({ prompt, ...good }))
    await imported(hone, { source: 'file', labels: [tag], rows })
    assert.deepEqual(await minimums(rule_id), counts(3, 0))
    const [first, second] = await inDatabase<{ id: string }>(
      hone.databaseUrl,
      `select id from sample where '${tag}' = any(tags) order by id`,
    )
    await inDatabase(
      hone.databaseUrl,
      `update sample set answered = false where id = '${first?.id}';
       update sample set expires_at = created_at where id = '${second?.id}'`,
    )
    assert.deepEqual(await minimums(rule_id), counts(1, 0))
  })

  test('enough, and then the pipeline says so', async () => {
    const { rule_id, tag } = await hone.pipeline('Full')
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, nr) => ({ prompt: `Question ${from + nr}`, ...good }))
    await imported(hone, { source: 'file', labels: [tag], rows: rows(0, 550) })
    const half = await read(rule_id)
    assert.equal(half.minimums.reason?.startsWith('550 of 1,100'), true)
    assert.match(
      half.next_reason,
      /550 of 1,100 .* there, and apart from imports none was reviewed/,
    )
    // The conversations are old, and people have reviewed them today.
    const reviewed = `update sample set verdict_by = 'person',
      created_at = created_at - interval '20 days' where '${tag}' = any(tags)`
    await inDatabase(hone.databaseUrl, reviewed)
    const { next_reason: atRate } = await read(rule_id)
    assert.match(
      atRate,
      /550 of 1,100 .* rate of reviews there will be enough on \d{4}-\d\d-\d\d\.$/,
    )
    await imported(hone, { source: 'file', labels: [tag], rows: rows(550, 550) })
    const { minimums, next_reason, training_defaults } = await read(rule_id)
    assert.deepEqual([minimums.have, minimums.ready, minimums.reason], [1100, true, null])
    assert.match(next_reason, /^There are enough samples/)
    assert.equal(training_defaults.steps, 15 * 66)
  })
})

test('a pipeline with a challenger has a second model', async () => {
  const { rule_id } = await hone.pipeline('With a second')
  await inDatabase(
    hone.databaseUrl,
    `update pipeline set challenger_model = 'gone' where id = '${rule_id}'`,
  )
  const { challenger_model, second_model, next_reason } = await read(rule_id)
  assert.deepEqual(challenger_model, { id: 'gone' })
  assert.equal(second_model?.model, 'gone')
  assert.match(next_reason, /challenger model is no longer/)
  assert.equal(pipelineOf(await put(rule_id, { challenger_model: null })).second_model, null)
})
