import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { secondsIn } from '#server/compute/embedded/event-file.ts'
import { readAdapter, writeAdapter } from '#server/engine/embedded/llama/adapter.ts'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { contentHash } from '#server/model-store/content-hash.ts'
import { ModelStore } from '#server/model-store/model-store.ts'
import type { TrainingJob, TrainingProgress } from '#server/compute/compute.ts'
import { until } from '#test/support/until.ts'
import { writeRowsFile } from '#test/support/write-rows-file.ts'
import { randomAdapter } from '../../engine/llama/random-model.ts'
import {
  baseFolder,
  codeWord,
  endOfTurn,
  eventsOf,
  folderOf,
  openCompute,
  partnerOf,
  partnerRows,
  pause,
  root,
  storeRoot,
  succeeded,
  trainingJob,
  untilCheckpoint,
  untilEnded,
} from './training-fixture.ts'

const compute = openCompute()
after(() => compute.close())

async function adapterBytes(path: string): Promise<Buffer> {
  return readFile(join(path, 'adapter_model.safetensors'))
}

test('a training learns its task, reports as it runs and leaves a PEFT folder', async () => {
  const job = await trainingJob()
  const first = await compute.train(job)
  assert.equal(first.state, 'running')
  const { outcome, progress } = await untilEnded(compute, job.id)
  const { metrics, adapterPath, bestStep } = succeeded(outcome)
  assert.equal(metrics.rowsChecked, 10)
  assert.equal(metrics.rowsTrained, 190)
  assert.ok(metrics.checkLossBefore > 2 && metrics.checkLoss < 0.3, JSON.stringify(metrics))
  assert.ok(bestStep > 0 && bestStep <= metrics.stepsRun)

  assert.equal(progress.steps, 15 * 12)
  assert.equal(progress.step, metrics.stepsRun)
  const checks = progress.curve.filter((point) => point.check_loss !== null)
  assert.ok(checks.length >= 4 && checks.length <= 12, `${checks.length} checks`)
  assert.ok(
    progress.curve.every((point) => point.step > 0 && point.loss !== null),
    'each point has a loss',
  )

  const model = await readModelFolder(job.base.path)
  const adapter = await readAdapter(adapterPath, model)
  const forward = await openForward(model, { threads: 1 })
  let right = 0
  for (let token = 3; token < 53; token++) {
    const state = forward.newState()
    const [logits] = await forward.step([{ state, tokens: [1, token, codeWord] }], adapter)
    const answer = logits!.indexOf(Math.max(...logits!))
    const [next] = await forward.step([{ state, tokens: [answer] }], adapter)
    const end = next!.indexOf(Math.max(...next!))
    if (answer === partnerOf(token) && end === endOfTurn) right++
  }
  assert.ok(right >= 48, `${right} of 50 right`)
  await forward.close()
  assert.deepEqual((await readdir(folderOf(job))).sort(), [
    'adapter',
    'events.jsonl',
    'job.json',
    'lock',
    'pid',
    'result.json',
  ])
})

test('a second train with the same id attaches to the first, running or ended', async () => {
  const job = await trainingJob({ rows: partnerRows(60) })
  job.settings.epochs = 3
  await Promise.all([compute.train(job), compute.train(job), compute.train(job)])
  const { outcome } = await untilEnded(compute, job.id)
  assert.deepEqual((await compute.train(job)).state, 'ended')
  const planned = (await eventsOf(job)).filter(({ event }) => event === 'planned')
  assert.equal(planned.length, 1)

  // A server that starts anew knows nothing but finds what the folder holds.
  const other = openCompute()
  const found = await other.status(job.id)
  assert.ok(found.state === 'ended')
  assert.deepEqual(found.outcome, outcome)
  assert.equal(found.progress.step, succeeded(outcome).metrics.stepsRun)
  assert.equal((await other.status(randomUUID())).state, 'unknown')
  await assert.rejects(other.status('../somewhere'), /not a UUID/)

  // Rows that come for a job that has ended go like those before them.
  await writeRowsFile(job.rowsFile, partnerRows(60))
  await other.train(job)
  assert.equal(existsSync(job.rowsFile), false)

  await other.forget(job.id)
  await other.forget(job.id)
  assert.equal(existsSync(folderOf(job)), false)
  assert.equal((await other.status(job.id)).state, 'unknown')
})

test('a stopped job ends as stopped and leaves no adapter', async () => {
  const job = await trainingJob({ rows: partnerRows(3000) })
  await compute.train(job)
  await untilCheckpoint(job)
  await assert.rejects(compute.forget(job.id), /has not ended/)
  const status = await compute.stop(job.id)
  assert.ok(status.state === 'ended')
  const { state, seconds } = status.outcome
  assert.equal(state, 'stopped')
  assert.ok(seconds >= secondsIn(await eventsOf(job)) && seconds > 0)
  assert.equal(existsSync(job.rowsFile), false)
  assert.equal(existsSync(join(folderOf(job), 'adapter')), false)
  assert.deepEqual(await compute.stop(job.id), status)
  assert.deepEqual(await compute.train(job), status)
  assert.equal((await compute.stop(randomUUID())).state, 'unknown')
})

test('a job stopped while it waits its turn never runs', async () => {
  const first = await trainingJob({ rows: partnerRows(3000) })
  const second = await trainingJob({ basePath: first.base.path })
  const third = await trainingJob({ basePath: first.base.path })
  await compute.train(first)
  const waiting = await compute.train(second)
  assert.ok(waiting.state === 'running')
  assert.equal(waiting.progress.phase, 'waiting')
  assert.equal((await compute.train(third)).state, 'running')
  const status = await compute.stop(second.id)
  assert.ok(status.state === 'ended')
  assert.deepEqual(status.outcome, { state: 'stopped', seconds: 0 })
  await compute.stop(third.id)
  await compute.stop(first.id)
  await pause()
  assert.deepEqual(await eventsOf(second), [])
})

/** A training that is over before anybody comes to interrupt it is no case of it: another one is begun then. */
async function interrupted(
  basePath: string | undefined,
  interrupt: (job: TrainingJob) => Promise<boolean>,
): Promise<TrainingJob> {
  for (let tries = 1; tries <= 10; tries++) {
    const job = await trainingJob(basePath ? { basePath } : {})
    if (await interrupt(job)) return job
  }
  assert.fail('ten of ten were over before they were interrupted, or never went on')
}

test('a killed training goes on from its last check to the very same adapter', async () => {
  const job = await interrupted(undefined, async (begun) => {
    await compute.train(begun)
    await untilCheckpoint(begun)
    const pid = Number(await readFile(join(folderOf(begun), 'pid'), 'utf8'))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      return false
    }
    await untilEnded(compute, begun.id)
    return (await eventsOf(begun)).some(({ event }) => event === 'resumed')
  })
  const killed = succeeded((await untilEnded(compute, job.id)).outcome)
  const resumed = (await eventsOf(job)).filter((event) => event.event === 'resumed')
  assert.ok(
    resumed.some(({ step }) => step >= 18),
    JSON.stringify(resumed),
  )

  // A server that closes lets go of its training; the next one takes the job up again.
  const again = await interrupted(job.base.path, async (begun) => {
    const down = openCompute()
    await down.train(begun)
    await untilCheckpoint(begun)
    await down.close()
    return !existsSync(join(folderOf(begun), 'result.json'))
  })
  await compute.train(again)
  const restarted = succeeded((await untilEnded(compute, again.id)).outcome)

  // So does a server that is killed: its training process sees that it is alone, and ends.
  const orphan = await trainingJob({ basePath: job.base.path })
  const orphanFile = join(root, 'orphan.json')
  await writeFile(orphanFile, JSON.stringify(orphan))
  const server = fork(fileURLToPath(new URL('./train-and-wait.ts', import.meta.url)), [
    orphanFile,
    root,
    storeRoot,
  ])
  await untilCheckpoint(orphan)
  server.kill('SIGKILL')
  // Looking at it does not take it up.
  assert.equal((await compute.status(orphan.id)).state, 'idle')
  await compute.train(orphan)
  const adopted = succeeded((await untilEnded(compute, orphan.id)).outcome)

  const whole = await trainingJob({ basePath: job.base.path })
  await compute.train(whole)
  const uninterrupted = succeeded((await untilEnded(compute, whole.id)).outcome)
  const expected = await adapterBytes(uninterrupted.adapterPath)
  assert.ok(killed.seconds >= secondsIn(await eventsOf(job)))
  assert.ok(expected.equals(await adapterBytes(killed.adapterPath)))
  assert.ok(expected.equals(await adapterBytes(restarted.adapterPath)))
  assert.ok(expected.equals(await adapterBytes(adopted.adapterPath)))
  assert.equal(killed.metrics.tokens, uninterrupted.metrics.tokens)
})

test('what a killed process was writing goes with the rows of its job, once nobody can be writing it', async () => {
  const job = await trainingJob({ rows: partnerRows(30) })
  job.settings.epochs = 1
  await mkdir(folderOf(job), { recursive: true })
  const left = (name: string) => join(folderOf(job), `job.json.${name}.writing`)
  await writeFile(left('old'), '{}')
  await utimes(left('old'), new Date(0), new Date(0))
  // As if it were written at the very end.
  await writeFile(left('new'), '{}')
  await utimes(left('new'), new Date(8e12), new Date(8e12))
  await compute.train(job)
  await untilEnded(compute, job.id)
  assert.deepEqual([existsSync(left('old')), existsSync(left('new'))], [false, true])
})

test('what killed processes left of forgotten jobs and of merges is removed, and nothing that is in use', async () => {
  const others = await readdir(root)
  const id = randomUUID()
  const cut = ['merge-old', 'merge-old.writing']
  const left = [`${id}.removing-${randomUUID()}`, ...cut]
  const kept = [id, 'merge-new']
  for (const name of [...left, ...kept]) {
    await mkdir(join(root, name))
    await writeFile(join(root, name, 'file'), '')
  }
  for (const name of cut) await utimes(join(root, name), new Date(0), new Date(0))
  await compute.removeLeft()
  assert.deepEqual((await readdir(root)).sort(), [...others, ...kept].sort())
})

test('of two servers on one folder one trains, and both find what came of it', async () => {
  const job = await trainingJob({ rows: partnerRows(60) })
  job.settings.epochs = 3
  const other = openCompute()
  await compute.train(job)
  await other.train(job)
  const outcomes = [await untilEnded(compute, job.id), await untilEnded(other, job.id)]
  assert.deepEqual(outcomes[0]?.outcome, outcomes[1]?.outcome)
  assert.equal(outcomes[0]?.outcome.state, 'succeeded')
  const planned = (await eventsOf(job)).filter(({ event }) => event === 'planned')
  assert.equal(planned.length, 1)
  await other.close()
})

test('a server that looks at the training of another one sees how it goes on, and does not queue it', async () => {
  const job = await trainingJob({ rows: partnerRows(20_000) })
  const other = openCompute()
  const seen = async (): Promise<TrainingProgress> => {
    const status = await other.status(job.id)
    assert.ok(status.state === 'idle' || status.state === 'running', status.state)
    return status.progress
  }
  const goesOn = async (): Promise<void> => {
    const { step, seconds } = await seen()
    await until(async () => (await seen()).step > step)
    assert.ok((await seen()).seconds > seconds)
  }
  await compute.train(job)
  await untilCheckpoint(job)
  await goesOn()
  assert.equal((await other.status(job.id)).state, 'idle')
  const own = await trainingJob({ basePath: job.base.path, rows: partnerRows(30) })
  await other.train(own)
  await untilEnded(other, own.id)

  // Also once it was told to train what the other one trains, and waits for that.
  assert.equal((await other.train(job)).state, 'running')
  await goesOn()
  const { phase } = await seen()
  assert.ok(phase === 'training' || phase === 'checking', phase)
  await compute.stop(job.id)
  await other.close()
})

test('a process that dies again and again is a failure with its last words', async () => {
  const job = await trainingJob()
  // A job that the process cannot even read.
  await compute.train({ ...job, settings: null as never })
  const { outcome } = await untilEnded(compute, job.id)
  assert.ok(outcome.state === 'failed')
  assert.equal(outcome.code, 'TRAINER_CRASHED')
  assert.equal(outcome.message, null)
  assert.match(outcome.detail ?? '', /ended 3 times in a row/)
})

test('a job of an earlier server is stopped without being begun again, and its time counts', async () => {
  const job = await trainingJob({ rows: partnerRows(3000) })
  const down = openCompute()
  await down.train(job)
  await untilCheckpoint(job)
  await down.close()
  const events = await eventsOf(job)
  const status = await openCompute().stop(job.id)
  assert.ok(status.state === 'ended')
  assert.deepEqual(status.outcome, { state: 'stopped', seconds: secondsIn(events) })
  assert.ok(status.outcome.seconds > 0)
  assert.deepEqual(await eventsOf(job), events)
})

test('a merged model is kept by its hash and answers as base and adapters do', async () => {
  const path = await baseFolder()
  const base = { path, revision: await contentHash(path, 'model') }
  const model = await readModelFolder(path)
  const adapters = [3, 4].map((seed) => join(root, `merge-of-${seed}`))
  for (const [i, folder] of adapters.entries()) {
    await writeAdapter(folder, model, randomAdapter(model.config, 4, 3 + i), 'base')
  }
  const logitsOf = async (folder: ModelFolder, adapter: Adapter | null) => {
    const forward = await openForward(folder, { threads: 1 })
    const [logits] = await forward.step([{ state: forward.newState(), tokens: [1, 7, 9] }], adapter)
    await forward.close()
    return logits!
  }
  const worst = (a: Float32Array, b: Float32Array) =>
    Math.max(...a.map((each, i) => Math.abs(each - b[i]!)))
  const outcomes = await Promise.all([
    compute.merge(base, adapters.slice(0, 1)),
    compute.merge(base, adapters),
    compute.merge(base, adapters),
  ])
  const revisions = outcomes.map((each) => (each.state === 'merged' ? each.revision : each.detail))
  assert.equal(revisions[1], revisions[2])
  const store = new ModelStore(storeRoot)
  const [one, two] = [
    await readModelFolder(store.modelPath(revisions[0]!)),
    await readModelFolder(store.modelPath(revisions[1]!)),
  ]
  const first = await readAdapter(adapters[0]!, model)
  assert.ok(worst(await logitsOf(one, null), await logitsOf(model, first)) < 1e-4)
  const second = await readAdapter(adapters[1]!, one)
  const expected = await logitsOf(one, second)
  assert.ok(worst(await logitsOf(two, null), expected) < 1e-4)
  assert.ok(worst(await logitsOf(one, null), expected) > 0.1)
  assert.deepEqual(
    (await readdir(root)).filter((name) => /^merge-[0-9a-f]{32}/.test(name)),
    [],
  )

  const other = await compute.merge({ ...base, revision: revisions[0]! }, adapters)
  assert.ok(other.state === 'failed' && other.code === 'BASE_CHANGED')
  const missing = await compute.merge(base, ['/nowhere'])
  assert.ok(missing.state === 'failed' && missing.code === 'MODEL_UNREADABLE')
})
