// What a training costs the calls that Hone answers meanwhile: the same calls at the same constant rate, without a training and beside a
// real attempt that was started over the API. The model server answers at once, and the same calls to it without Hone say how much of the
// difference is the machine's.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './gateway/load.ts'
import {
  catalogOf,
  freePort,
  type HoneProcess,
  startHone,
  startScript,
} from './gateway/processes.ts'
import { sendSteadily, type SteadyReading } from './gateway/steady-load.ts'

const seconds = Number(process.env.HONE_BENCH_SECONDS ?? 20)
const perSecond = 200
const warmSeconds = 10
/** As many as one import takes; they are trained on for longer than is measured. */
const rowCount = 5000
const model = 'json-1'
const trained = 'hone/hone-mini'

const body = {
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'How are you today? '.repeat(20) }],
}

type Both = { hone: SteadyReading; server: SteadyReading }
type Attempt = { id: string; result: string; progress: { step: number } | null }

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-beside-'))
  const stubPort = await freePort()
  const stub = await startScript('stub.ts', [stubPort])
  const hone = await startHone(dataDir, catalogWith(stubPort))
  try {
    const target: Target = {
      name: 'Hone',
      url: hone.url,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${hone.key}`, 'x-loop-capture': 'off' },
      pid: hone.child.pid ?? 0,
    }
    const direct: Target = {
      ...target,
      name: 'model server',
      url: `http://127.0.0.1:${stubPort}`,
      headers: {},
    }
    const measure = async (forSeconds: number): Promise<Both> => {
      const load = { body, perSecond, seconds: forSeconds }
      const [ofHone, ofServer] = [sendSteadily(target, load), sendSteadily(direct, load)]
      return { hone: await ofHone, server: await ofServer }
    }
    const pipelineId = await readyPipeline(hone)
    await measure(warmSeconds)
    const alone = await measure(seconds)

    const path = `/api/loop/pipelines/${pipelineId}/run`
    const { attempt: made } = await ask<{ attempt: Attempt }>(hone, 'POST', path, {})
    const from = await stepOf(hone, made)
    const beside = await measure(seconds)
    const to = await stepOf(hone, made)

    console.log(
      `\n${perSecond} calls a second of 1 KB, for ${seconds} seconds each; ${to - from} steps were trained`,
    )
    print('Hone', alone.hone, beside.hone)
    print('the model server without Hone', alone.server, beside.server)
    await ask(hone, 'POST', `/api/loop/training-runs/${made.id}/cancel`)
  } finally {
    stub.kill()
    hone.child.kill('SIGTERM')
    await new Promise((resolve) => hone.child.once('exit', resolve))
    await rm(dataDir, { recursive: true, force: true })
  }
}

function catalogWith(stubPort: number): object {
  const catalog = catalogOf(stubPort, [model]) as { models: object[] }
  const routes = [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }]
  const embedded = { context_window: 2048, max_output_tokens: 1024, routes }
  const more = [
    { ...embedded, id: trained },
    { ...embedded, id: 'bench/judge', judge: true },
  ]
  return { ...catalog, models: [...catalog.models, ...more] }
}

async function ask<T>(hone: HoneProcess, method: string, path: string, sent?: object): Promise<T> {
  const answer = await fetch(hone.url + path, {
    method,
    headers: { 'x-api-key': hone.key, 'content-type': 'application/json' },
    ...(sent && { body: JSON.stringify(sent) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Its schedule keeps it from starting by itself while calls are measured without a training. */
async function readyPipeline(hone: HoneProcess): Promise<string> {
  const { pipeline } = await ask<{ pipeline: { rule_id: string } }>(
    hone,
    'POST',
    '/api/loop/pipelines',
    {
      name: 'Bench',
      model: { id: trained },
      training: { epochs: 15 },
      schedule: { every: 'month', at: '03:00', day: 1 },
    },
  )
  const rows = Array.from({ length: rowCount }, (_, number) => ({
    prompt: `Where does order ${number} go? ${'It was sent with the others. '.repeat(number % 5)}`,
    completion: `It goes to desk ${number % 7}.`,
  }))
  const path = `/api/loop/pipelines/${pipeline.rule_id}/import`
  await ask(hone, 'POST', path, { rows, default_feedback: 'good' })
  return pipeline.rule_id
}

/** Waits for the first one. */
async function stepOf(hone: HoneProcess, { id }: Attempt): Promise<number> {
  for (;;) {
    const path = `/api/loop/training-runs/${id}`
    const { attempt } = await ask<{ attempt: Attempt }>(hone, 'GET', path)
    if (attempt.result !== 'running') throw new Error(`the training is over: ${attempt.result}`)
    if (attempt.progress && attempt.progress.step > 0) return attempt.progress.step
    await delay(200)
  }
}

function print(name: string, alone: SteadyReading, beside: SteadyReading): void {
  console.log(
    `  ${name}: p50 ${beside.p50.toFixed(2)} ms beside a training, ${alone.p50.toFixed(2)} ms without, ` +
      `${(beside.p50 / alone.p50).toFixed(2)} times\n` +
      `    p99 ${beside.p99.toFixed(2)} ms, ${alone.p99.toFixed(2)} ms, ${(beside.p99 / alone.p99).toFixed(2)} times; ` +
      `answered ${beside.answered}, ${alone.answered}; failed ${beside.failed}, ${alone.failed}`,
  )
}
