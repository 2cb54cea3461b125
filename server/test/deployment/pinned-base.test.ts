// What was trained on a base answers on that base, and is compared with it, also after the catalog's folder was changed.
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { readAdapter } from '#server/engine/embedded/llama/adapter.ts'
import { mergeAdapter } from '#server/engine/embedded/llama/merge-adapter.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { answerText } from '#server/loop/test/judge/answer-text.ts'
import { callModel } from '#server/loop/test/judge/ask-model.ts'
import { scoringCaller } from '#server/loop/test/judge/scoring-key.ts'
import { answerRequest } from '#server/loop/test/judge/test-request.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { deployment, storeAdapter } from '#test/support/deployments.ts'
import { miniAdapter } from '#test/support/scripted-compute.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const slug = 'hone/hone-mini'
let root: string
let folder: string
let hone: TestHone
let workspace_id: string
let adapter: string
let pipeline: { rule_id: string }
let revision: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'hone-base-'))
  folder = join(root, 'base')
  await cp(bundledModel, folder, { recursive: true })
  const models = defaultCatalog.models.map((model) => ({
    ...model,
    routes: model.routes.map((route) =>
      route.engine === 'embedded' ? { ...route, model_folder: folder } : route,
    ),
  }))
  hone = await testHone({ catalog: { ...defaultCatalog, models }, tasks: [] })
  const session = await hone.login(hone.owner.email, hone.owner.password)
  workspace_id = session['x-workspace-id'] ?? ''
  adapter = await storeAdapter(hone)
  const body = { name: 'Pinned', model: { id: slug } }
  const made = await hone.call('POST', '/api/loop/pipelines', { key: hone.owner.key, body })
  pipeline = (made.json as unknown as { pipeline: Pipeline }).pipeline
  revision = await hone.app.learning.modelStore.modelHash(folder)
  await deployment(hone, { workspace_id, name: 'tuned', base_revision: revision, adapter })
  await deployment(hone, { workspace_id, name: 'drifting', adapter })
})
after(async () => {
  await hone.stop()
  await rm(root, { recursive: true, force: true })
})

const asked = [
  { role: 'system' as const, text: 'Give the routing code for this ticket.' },
  { role: 'user' as const, text: 'We have a case of VPN. Please help' },
]

async function textOf(model: string): Promise<string> {
  const messages = asked.map(({ role, text }) => ({ role, content: text }))
  const body = { model, messages, temperature: 0, max_tokens: 12 }
  const answer = await hone.call('POST', '/v1/chat/completions', { bearer: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
  const { choices } = answer.json as unknown as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

/** As its test would ask it. */
async function testAsks(model: string): Promise<{ text: string; cost: bigint }> {
  const { app } = hone
  const caller = await scoringCaller(app, pipeline.rule_id)
  const row = app.catalog.find(slug)
  assert.ok(caller && row)
  const [system, user] = asked.map(({ text }) => [{ type: 'text' as const, text }])
  const messages = [{ role: 'user' as const, blocks: user! }]
  const conversation = { tools: [], system: system!, messages }
  const request = answerRequest({ model, row, conversation, rightAnswer: [] })
  const signal = new AbortController().signal
  const reply = await callModel(app, { caller, request: { ...request, maxTokens: 12 }, signal })
  assert.ok(
    'blocks' in reply,
    JSON.stringify(reply, (_, value) => String(value)),
  )
  return { text: answerText(reply.blocks), cost: reply.cost }
}

test('what was trained on a base answers on it and is compared with it after the catalog has another', async () => {
  const base = await textOf(slug)
  const tuned = await textOf('tuned')
  const before = await testAsks(slug)
  assert.notEqual(tuned, base)
  assert.equal(await textOf('drifting'), tuned)

  const model = await readModelFolder(folder)
  await mergeAdapter(model, await readAdapter(miniAdapter, model), join(root, 'changed'))
  await rm(folder, { recursive: true })
  await cp(join(root, 'changed'), folder, { recursive: true })
  // As after a restart.
  await hone.background.engines.keepOnly([])
  assert.equal(await textOf('tuned'), tuned)
  assert.notEqual(await textOf(slug), base)
  assert.notEqual(await textOf('drifting'), tuned)

  const { app } = hone
  const signal = new AbortController().signal
  const attempt = await keepAttempt({ app }, pipeline.rule_id, {
    state: { phase: 'starting_machine' },
    model: slug,
    model_revision: revision,
    adapter,
  })
  const planned = await effects['plan-test'](app, attempt, signal)
  const test = planned?.changes?.test ?? null
  assert.ok(test)
  await effects['serve-test'](app, { ...attempt, test }, signal)
  assert.equal((await testAsks(test.candidate)).text, tuned)
  assert.deepEqual(await testAsks(test.live), before, 'the same answer at the same price')
})
