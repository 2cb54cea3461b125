import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { EmbeddedCompute } from '#server/compute/embedded/embedded-compute.ts'
import { readAdapter } from '#server/engine/embedded/llama/adapter.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { TrainingJob } from '#server/compute/compute.ts'
import {
  codeWord,
  endOfTurn,
  eventsOf,
  partnerOf,
  partnerRows,
  pause,
  succeeded,
  trainingJob,
  untilCheckpoint,
  untilEnded,
} from './training-fixture.ts'

const compute = new EmbeddedCompute({ threads: 1 })
after(() => compute.close())

async function adapterBytes(path: string): Promise<Buffer> {
  return readFile(join(path, 'adapter_model.safetensors'))
}

test('a training learns its task, reports as it runs and leaves a PEFT folder', async () => {
  const job = await trainingJob({ id: 'learns' })
  const first = await compute.train(job)
  assert.equal(first.state, 'running')
  const { outcome, progress } = await untilEnded(compute, job.id)
  const { metrics, adapterPath, bestStep } = succeeded(outcome)
  assert.equal(metrics.rowsChecked, 10)
  assert.equal(metrics.rowsTrained, 190)
  assert.ok(metrics.evalLossBefore > 2 && metrics.evalLoss < 0.3, JSON.stringify(metrics))
  assert.ok(bestStep > 0 && bestStep <= metrics.stepsRun)

  assert.equal(progress?.totalSteps, 15 * 12)
  assert.equal(progress?.step, metrics.stepsRun)
  const checks = progress?.curve.filter((point) => point.evalLoss !== null) ?? []
  assert.ok(checks.length >= 4 && checks.length <= 12, `${checks.length} checks`)
  assert.equal(checks[0]?.step, 0)
  assert.ok(progress?.curve.some((point) => point.loss !== null))

  const model = await readModelFolder(job.baseModel)
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
  assert.deepEqual((await readdir(job.outputFolder)).sort(), [
    'adapter',
    'events.jsonl',
    'job.json',
    'lock',
    'pid',
    'result.json',
  ])
})

test('a second train with the same id attaches to the first, running or ended', async () => {
  const job = await trainingJob({ id: 'twice', rows: partnerRows(60) })
  job.settings.epochs = 3
  await Promise.all([compute.train(job), compute.train(job), compute.train(job)])
  const { outcome } = await untilEnded(compute, job.id)
  assert.deepEqual((await compute.train(job)).state, 'ended')
  const planned = (await eventsOf(job)).filter(({ event }) => event === 'planned')
  assert.equal(planned.length, 1)

  // A server that starts anew knows nothing but finds what the folder holds.
  const other = new EmbeddedCompute({ threads: 1 })
  assert.equal((await other.status(job.id)).state, 'unknown')
  const found = await other.train(job)
  assert.ok(found.state === 'ended')
  assert.deepEqual(found.outcome, outcome)
  assert.equal(found.progress?.step, succeeded(outcome).metrics.stepsRun)
  await assert.rejects(compute.train({ ...job, id: 'thief' }), /belongs to the job 'twice'/)
})

test('a stopped job ends as stopped and leaves no adapter', async () => {
  const job = await trainingJob({ id: 'stopped', rows: partnerRows(3000) })
  await compute.train(job)
  await untilCheckpoint(job)
  const status = await compute.stop(job.id)
  assert.ok(status.state === 'ended')
  assert.deepEqual(status.outcome, { state: 'stopped' })
  assert.equal(existsSync(join(job.outputFolder, 'adapter')), false)
  assert.deepEqual(await compute.stop(job.id), status)
  assert.deepEqual(await compute.train(job), status)
  assert.equal((await compute.stop('nobody')).state, 'unknown')
})

test('a job stopped while it waits its turn never runs', async () => {
  const first = await trainingJob({ id: 'ahead', rows: partnerRows(3000) })
  const second = await trainingJob({ id: 'behind', baseModel: first.baseModel })
  await compute.train(first)
  const waiting = await compute.train(second)
  assert.ok(waiting.state === 'running' && waiting.progress.phase === 'waiting')
  const status = await compute.stop(second.id)
  assert.ok(status.state === 'ended' && status.outcome.state === 'stopped')
  await compute.stop(first.id)
  await pause()
  assert.deepEqual(await eventsOf(second), [])
})

/** A training that is over before anybody comes to interrupt it is no case of it: another one is begun then. */
async function interrupted(
  name: string,
  baseModel: string | undefined,
  interrupt: (job: TrainingJob) => Promise<boolean>,
): Promise<TrainingJob> {
  for (let tries = 1; tries <= 10; tries++) {
    const job = await trainingJob({ id: `${name}-${tries}`, ...(baseModel ? { baseModel } : {}) })
    if (await interrupt(job)) return job
  }
  assert.fail('ten of ten were over before they were interrupted, or never went on')
}

test('a killed training goes on from its last check to the very same adapter', async () => {
  const job = await interrupted('killed', undefined, async (begun) => {
    await compute.train(begun)
    await untilCheckpoint(begun)
    const pid = Number(await readFile(join(begun.outputFolder, 'pid'), 'utf8'))
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
  const again = await interrupted('again', job.baseModel, async (begun) => {
    const down = new EmbeddedCompute({ threads: 1 })
    await down.train(begun)
    await untilCheckpoint(begun)
    await down.close()
    return !existsSync(join(begun.outputFolder, 'result.json'))
  })
  await compute.train(again)
  const restarted = succeeded((await untilEnded(compute, again.id)).outcome)

  // So does a server that is killed: its training process sees that it is alone, and ends.
  const orphan = await trainingJob({ id: 'orphan', baseModel: job.baseModel })
  await writeFile(join(job.outputFolder, 'orphan.json'), JSON.stringify(orphan))
  const server = fork(fileURLToPath(new URL('./train-and-wait.ts', import.meta.url)), [
    join(job.outputFolder, 'orphan.json'),
  ])
  await untilCheckpoint(orphan)
  server.kill('SIGKILL')
  await compute.train(orphan)
  const adopted = succeeded((await untilEnded(compute, orphan.id)).outcome)

  const whole = await trainingJob({ id: 'whole', baseModel: job.baseModel })
  await compute.train(whole)
  const uninterrupted = succeeded((await untilEnded(compute, whole.id)).outcome)
  const expected = await adapterBytes(uninterrupted.adapterPath)
  assert.ok(expected.equals(await adapterBytes(killed.adapterPath)))
  assert.ok(expected.equals(await adapterBytes(restarted.adapterPath)))
  assert.ok(expected.equals(await adapterBytes(adopted.adapterPath)))
  assert.equal(killed.metrics.tokens, uninterrupted.metrics.tokens)
})

test('what a killed process was writing goes with the rows of its job, once nobody can be writing it', async () => {
  const job = await trainingJob({ id: 'left-aside', rows: partnerRows(30) })
  job.settings.epochs = 1
  await mkdir(job.outputFolder, { recursive: true })
  const left = (name: string) => join(job.outputFolder, `job.json.${name}.writing`)
  await writeFile(left('old'), '{}')
  await utimes(left('old'), new Date(0), new Date(0))
  // As if it were written at the very end.
  await writeFile(left('new'), '{}')
  await utimes(left('new'), new Date(8e12), new Date(8e12))
  await compute.train(job)
  await untilEnded(compute, job.id)
  assert.deepEqual([existsSync(left('old')), existsSync(left('new'))], [false, true])
})

test('of two servers on one folder one trains, and both find what came of it', async () => {
  const job = await trainingJob({ id: 'shared', rows: partnerRows(60) })
  job.settings.epochs = 3
  const other = new EmbeddedCompute({ threads: 1 })
  await compute.train(job)
  await other.train(job)
  const outcomes = [await untilEnded(compute, job.id), await untilEnded(other, job.id)]
  assert.deepEqual(outcomes[0]?.outcome, outcomes[1]?.outcome)
  assert.equal(outcomes[0]?.outcome.state, 'succeeded')
  const planned = (await eventsOf(job)).filter(({ event }) => event === 'planned')
  assert.equal(planned.length, 1)
  await other.close()
})

test('a process that dies again and again is a failure with its last words', async () => {
  const job = await trainingJob({ id: 'dies' })
  // A job that the process cannot even read.
  await compute.train({ ...job, rows: null as never })
  const { outcome } = await untilEnded(compute, job.id)
  assert.ok(outcome.state === 'failed')
  assert.equal(outcome.code, 'TRAINER_CRASHED')
  assert.match(outcome.message, /ended 3 times in a row/)
})
