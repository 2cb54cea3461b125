// Pipelines with enough samples to train on, and how their attempts go.
import assert from 'node:assert/strict'
import type { Attempt } from '#contract/attempt.ts'
import { newId } from '#server/lib/id.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { type LoopHone, trainableModel } from './loop-hone.ts'
import { firstWorkspace, newSample } from './new-samples.ts'
import type { Answer, TestHone } from './test-hone.ts'
import { until } from './until.ts'

export type Ready = { id: string; tag: string }

type SampleChange = Parameters<typeof newSample>[2]

/** One that trains in seconds, and that has this many good samples. */
export async function readyPipeline(
  hone: LoopHone,
  name: string,
  options: { samples?: number; settings?: object; change?: SampleChange } = {},
): Promise<Ready> {
  const { samples = 1150, settings = {}, change = {} } = options
  const training = { epochs: 1, learning_rate: 0.01, lora_rank: 4 }
  const body = { name, model: { id: trainableModel }, training, ...settings }
  const answer = await hone.call('POST', '/api/loop/pipelines', { key: hone.owner.key, body })
  assert.equal(answer.status, 201, answer.text)
  const { rule_id: id, tag } = (
    answer.json as never as { pipeline: { rule_id: string; tag: string } }
  ).pipeline
  await addGood(hone, tag, samples, change)
  return { id, tag }
}

export async function addGood(
  hone: LoopHone,
  tag: string,
  count: number,
  change: SampleChange = {},
): Promise<void> {
  const workspace = await firstWorkspace(hone)
  const at = hone.app.clock.now()
  const all = Array.from({ length: count }, (_, number) =>
    newSample(workspace.id, at, {
      said: `order ${number}`,
      tags: [tag],
      signal: {
        id: newId(at),
        verdict: 'accepted',
        correction: null,
        givenBy: 'import',
        gold: true,
        userId: null,
        keyId: null,
      },
      ...change,
    }),
  )
  await insertSamples(hone.app.storage, all)
}

export function run(hone: TestHone, { id }: Ready): Promise<Answer> {
  const path = `/api/loop/pipelines/${id}/run`
  return hone.call('POST', path, { key: hone.owner.key, body: {} })
}

export async function started(hone: TestHone, ready: Ready): Promise<Attempt> {
  const answer = await run(hone, ready)
  assert.equal(answer.status, 201, answer.text)
  return attemptIn(answer)
}

export function attemptIn({ json }: Answer): Attempt {
  return (json as unknown as { attempt: Attempt }).attempt
}

export async function readAttempt(hone: TestHone, id: string): Promise<Attempt> {
  const path = `/api/loop/training-runs/${id}`
  const answer = await hone.call('GET', path, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  return attemptIn(answer)
}

export async function reached(
  hone: TestHone,
  id: string,
  holds: (attempt: Attempt) => boolean,
): Promise<Attempt> {
  let attempt = await readAttempt(hone, id)
  await until(async () => {
    attempt = await readAttempt(hone, id)
    return holds(attempt)
  }).catch((error: unknown) => {
    throw new Error(`it stands at ${JSON.stringify(attempt)}`, { cause: error })
  })
  return attempt
}

export function ended(hone: TestHone, id: string): Promise<Attempt> {
  return reached(hone, id, ({ result }) => result !== 'running')
}

export async function wallet(hone: TestHone): Promise<{ balance: string; held: string }> {
  const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  const { balance_usd: balance, held_usd: held } = json as unknown as Record<string, string>
  return { balance: balance ?? '', held: held ?? '' }
}
