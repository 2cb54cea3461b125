// Pipelines of a Hone that runs in a process of its own, and what their names answer there.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#server/lib/clock.ts'
import { ModelStore } from '#server/model-store/model-store.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { putVersionLive, storeAdapter } from './deployments.ts'
import { chosenOwner, databaseUrlIn, preparedFolder } from './hone-process.ts'
import { judgeModels, type JudgeServers } from './judge-servers.ts'
import { trainableModel } from './loop-hone.ts'
import { type Answer, callHttp } from './test-hone.ts'
import { until } from './until.ts'

const { key } = chosenOwner

/** A data folder whose catalog has a model that can be trained. */
export async function loopFolder(judges: JudgeServers, usdPerHour?: number): Promise<string> {
  const dataDir = await preparedFolder()
  writeCatalog(dataDir, judges, usdPerHour)
  return dataDir
}

export function writeCatalog(dataDir: string, { rows }: JudgeServers, usdPerHour = 0.6): void {
  const route = { engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }
  const model = { context_window: 2048, max_output_tokens: 1024, routes: [route] }
  const price = { training_usd_per_hour: usdPerHour, serving_usd_per_hour: 0 }
  const machines = [{ name: 'embedded', engine: 'embedded', ...price }]
  const models = [{ ...model, id: trainableModel }, ...rows]
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify({ models, machines }))
}

export async function ask(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await callHttp(url, method, path, { key, ...(body && { body }) })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer
}

/** A pipeline that trains in seconds and is judged honestly. Its schedule keeps it from starting by itself. */
export async function makeDesk(url: string, changes: object = {}): Promise<string> {
  const { json } = await ask(url, 'POST', '/api/loop/pipelines', {
    name: 'Desk',
    model: { id: trainableModel },
    judge_model: { id: judgeModels.honest },
    training: { epochs: 1, learning_rate: 0.01, lora_rank: 4 },
    schedule: { every: 'month', at: '03:00', day: 1 },
    ...changes,
  })
  return (json as never as { pipeline: { rule_id: string } }).pipeline.rule_id
}

/** What is trained on them says yes to everything. */
export async function importGood(url: string, id: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => ({
    prompt: `order ${number}`,
    completion: 'yes',
  }))
  const path = `/api/loop/pipelines/${id}/import`
  await ask(url, 'POST', path, { rows, default_feedback: 'good' })
}

/** Puts an adapter of the bundled model live as the next version. */
export async function putLive(
  url: string,
  dataDir: string,
  id: string,
  databaseUrl = databaseUrlIn(dataDir),
): Promise<void> {
  const storage = await openStorage(databaseUrl, systemClock)
  const modelStore = new ModelStore(join(dataDir, 'objects'))
  const app = { storage, learning: { modelStore }, clock: systemClock }
  const adapter = await storeAdapter({ app })
  await putVersionLive({ app }, id, { attemptNo: 1, adapter }).finally(() => storage.close())
  // Nothing is charged for looking at the list.
  await until(async () => {
    const { text } = await callHttp(url, 'GET', '/v1/models', { bearer: key })
    return text.includes('"loop-desk"')
  })
}

/** Calls the pipeline by its name. */
export function callDesk(url: string): Promise<Answer> {
  const messages = [{ role: 'user', content: 'order 7' }]
  const body = { model: 'loop-desk', messages, temperature: 0, max_tokens: 8 }
  return callHttp(url, 'POST', '/v1/chat/completions', { bearer: key, body })
}

/** What it says, or why it does not while it has no version. */
export function textIn({ status, json, text }: Answer): string {
  if (status === 404) return json.error!.message
  assert.equal(status, 200, text)
  const { choices } = json as never as { choices: { message: { content: string } }[] }
  return choices[0]!.message.content
}

export async function ledgerProblems(dataDir: string): Promise<string[]> {
  const storage = await openStorage(databaseUrlIn(dataDir), systemClock)
  return (await auditLedger(storage.db).finally(() => storage.close())).problems
}
