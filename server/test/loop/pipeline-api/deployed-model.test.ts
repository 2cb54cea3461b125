// A deployment as the model of a pipeline: what it serves is pinned when the pipeline is saved, and trained on from then on.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { newId } from '#server/lib/id.ts'
import { addGood, started } from '#test/support/attempts.ts'
import { deployment, putVersionLive, storeAdapter } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const clock = new ManualClock()
const compute = new ScriptedCompute(null)
let hone: LoopHone
let workspace_id: string
let folder: string
/** Of files that differ from those of the catalog's row. */
let merged: string
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = compute
  workspace_id = (await firstWorkspace(hone)).id
  folder = await mkdtemp(join(tmpdir(), 'hone-merged-'))
  await cp(bundledModel, folder, { recursive: true })
  await writeFile(join(folder, 'added_tokens.json'), '{}')
  merged = await hone.app.learning.modelStore.keepModel(folder)
})
after(async () => {
  await hone.stop()
  await rm(folder, { recursive: true })
})

const call = (method: string, path: string, body: object): Promise<Answer> =>
  hone.call(method, `/api/loop/pipelines${path}`, { key: hone.owner.key, body })
const create = (name: string, model: string) => call('POST', '', { name, model: { id: model } })

function pipelineOf(answer: Answer): Pipeline {
  assert.ok(answer.status < 300, answer.text)
  return (answer.json as unknown as { pipeline: Pipeline }).pipeline
}

async function storedOf(id: string): Promise<unknown> {
  const fields = 'model, model_deployment, model_revision'
  const [row] = await inDatabase(
    hone.databaseUrl,
    `select ${fields} from pipeline where id = '${id}'`,
  )
  return row
}

test('what it serves is pinned, trained on, and kept whatever becomes of it', async () => {
  const name = 'merged-model'
  const { id } = await deployment(hone, { workspace_id, name, merged })
  const made = pipelineOf(await create('Merged', name))
  assert.deepEqual(made.model, { id: name })
  const stored = { model: trainableModel, model_deployment: name, model_revision: merged }
  assert.deepEqual(await storedOf(made.rule_id), stored)

  await inDatabase(hone.databaseUrl, `update deployment set status = 'deleted' where id = '${id}'`)
  const again = pipelineOf(await call('PUT', `/${made.rule_id}`, { model: { id: name } }))
  assert.equal(again.revision, made.revision)
  const ready = { id: made.rule_id, tag: made.tag }
  await addGood(hone, made.tag, 1150)
  const attempt = await started(hone, ready)
  assert.deepEqual([attempt.lineage.model, attempt.lineage.revision], [trainableModel, merged])
  const other = await call('PUT', `/${made.rule_id}`, { model: { id: trainableModel } })
  assert.deepEqual([other.status, other.json.error?.code], [409, 'RUN_ACTIVE'])
  clock.forward(1000)
  await walkAttempt(hone, attempt.id, { clock, until: () => compute.taken.length > 0 })
  const path = hone.app.learning.modelStore.modelPath(merged)
  assert.deepEqual(compute.taken[0]?.base, { path, revision: merged })
})

test('one without files of its own has those of the catalog, and the base model itself may follow it', async () => {
  const name = 'plain-model'
  await deployment(hone, { workspace_id, name })
  const made = pipelineOf(await create('As the catalog', name))
  const model_revision = await hone.app.learning.modelStore.modelHash(bundledModel)
  const stored = { model: trainableModel, model_deployment: name, model_revision }
  assert.deepEqual(await storedOf(made.rule_id), stored)
  const saved = pipelineOf(await call('PUT', `/${made.rule_id}`, { model: { id: trainableModel } }))
  assert.deepEqual([saved.model.id, saved.revision], [trainableModel, 2])
  assert.deepEqual(await storedOf(made.rule_id), { ...stored, model_deployment: null })
})

test('a deleted pipeline whose live version another has as its model leaves that serving', async () => {
  const names = ['Kept serving', 'Not kept'] as const
  const rows = await Promise.all(
    names.map(async (name) => {
      const { rule_id, tag } = await hone.pipeline(name)
      await putVersionLive(hone, rule_id, { attemptNo: 1, adapter: 'a'.repeat(64) })
      return { rule_id, name: `loop-${tag}` }
    }),
  )
  const [kept, gone] = rows
  const { rule_id } = await hone.pipeline('Built on it')
  const setModel = (id: string, name: string) =>
    inDatabase(
      hone.databaseUrl,
      `update pipeline set model_deployment = '${name}' where id = '${id}'`,
    )
  await setModel(rule_id, kept!.name)
  // One that was deleted itself keeps nothing.
  const former = await hone.pipeline('Deleted before')
  await setModel(former.rule_id, gone!.name)
  for (const id of [former.rule_id, kept!.rule_id, gone!.rule_id]) {
    const answer = await hone.call('DELETE', `/api/loop/pipelines/${id}`, { key: hone.owner.key })
    assert.equal(answer.status, 204, answer.text)
  }
  const found = await inDatabase(
    hone.databaseUrl,
    `select name, status, pipeline_id, version_no from deployment
     where name in ('${kept!.name}', '${gone!.name}') order by name`,
  )
  assert.deepEqual(found, [
    { name: kept!.name, status: 'serving', pipeline_id: null, version_no: null },
    { name: gone!.name, status: 'deleted', pipeline_id: gone!.rule_id, version_no: 1 },
  ])
})

test('a pipeline does not take the name of a deployment as its tag', async () => {
  await deployment(hone, { workspace_id, name: 'own-source' })
  const answer = await create('Own source', trainableModel)
  assert.deepEqual([answer.status, answer.json.error?.code], [409, 'OWN_TAG_TAKEN'])
  assert.match(answer.json.error?.message ?? '', /already the name of a deployment/)
})

test('one with an adapter, of a test or on another machine is refused, and so is an unknown name', async () => {
  const adapter = await storeAdapter(hone)
  const price = { training_usd_per_hour: 1, serving_usd_per_hour: 0 }
  const machines = [
    { name: 'embedded', engine: 'embedded', ...price },
    { name: 'cluster', engine: 'slurm', memory_gb: 80, ...price },
  ]
  const file = JSON.parse(await readFile(hone.catalogFile, 'utf8')) as object
  await writeFile(hone.catalogFile, JSON.stringify({ ...file, machines }))
  await hone.app.catalog.reload()
  const { rule_id: pipeline_id } = await hone.pipeline('Tester')
  const ofTest = { pipeline_id, attempt_id: newId(clock.now()) }
  await deployment(hone, { workspace_id, name: 'adapted', adapter })
  await deployment(hone, { workspace_id, name: 'tested', merged, ...ofTest })
  await deployment(hone, { workspace_id, name: 'on-cluster', merged, machine: 'cluster' })
  for (const [name, message] of [
    ['adapted', /name its base model "hone\/hone-mini" instead/],
    ['tested', /"tested" cannot be trained; GET/],
    ['on-cluster', /machine that trains nothing/],
    ['not-there', /"not-there" cannot be trained; GET/],
  ] as const) {
    const answer = await create(`Never made of ${name}`, name)
    assert.deepEqual([answer.status, answer.json.error?.code], [422, 'MODEL_NOT_TRAINABLE'])
    assert.match(answer.json.error?.message ?? '', message)
  }
})
