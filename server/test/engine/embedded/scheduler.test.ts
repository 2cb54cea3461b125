// Scheduling: who is computed when, who waits, what is reused, and that none of it changes an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StreamPart } from '#server/core/stream-part.ts'
import type { EngineError } from '#server/engine/engine.ts'
import { Turn } from '#server/engine/embedded/generate/turn.ts'
import { RuleBook, vocabularyOf } from '#server/engine/embedded/generate/turn-rules.ts'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { tokenizerOf } from '#server/engine/embedded/prompt/tokenizer.ts'
import { Scheduler } from '#server/engine/embedded/serve/scheduler.ts'
import type { SchedulerLimits } from '#server/engine/embedded/serve/scheduler.ts'
import { FakeForward } from './fake-forward.ts'
import { finishOf, request, textOf } from './requests.ts'
import { toyTokenizerJson } from './toy-model.ts'

const tokenizer = tokenizerOf(toyTokenizerJson())
const vocabulary = vocabularyOf(tokenizer, [1])
const book = new RuleBook(vocabulary)
const adapterOf = (folder: string): Adapter => ({
  rank: folder.length,
  alpha: 1,
  layers: [],
})

type JobOptions = {
  workspaceId?: string
  adapterFolder?: string
  tokensMax?: number
  credit?: number
}

/** A scheduler over the fake model, and what came out of it by request id. */
function bench(limits: Partial<SchedulerLimits> = {}) {
  const forward = new FakeForward()
  const parts = new Map<number, StreamPart[]>()
  const errors = new Map<number, EngineError>()
  const order: number[] = []
  const scheduler = new Scheduler(
    forward,
    { rowsMax: 4, waitingMax: 100, promptPiece: 16, cacheBytes: 1e6, ...limits },
    {
      deliver(id, more) {
        if (!parts.has(id)) order.push(id)
        parts.set(id, [...(parts.get(id) ?? []), ...more])
      },
      fail: (id, error) => errors.set(id, error),
      async loadAdapter(folder) {
        await nextTurn()
        if (folder === 'missing') throw new Error('adapter_model.safetensors is missing.')
        return adapterOf(folder)
      },
    },
  )
  let ids = 0
  const submit = (prompt: string, options: JobOptions = {}) => {
    const { workspaceId = 'w', adapterFolder = null, tokensMax = 5, credit = 1000 } = options
    const turn = new Turn(vocabulary, book.rulesFor(request(''), null, null), tokensMax, null)
    const id = ids++
    try {
      scheduler.submit({
        id,
        workspaceId,
        adapterFolder,
        prompt: tokenizer.encodeText(prompt),
        tokensPerBlock: null,
        turn,
        sampling: { temperature: 0 },
        credit,
      })
    } catch (error) {
      errors.set(id, error as EngineError)
    }
    return id
  }
  const finished = (id: number) => errors.has(id) || parts.get(id)?.at(-1)?.type === 'finish'
  const settle = async (...wanted: number[]) => {
    for (let turns = 0; !wanted.every(finished); turns++) {
      assert.ok(turns < 5000, 'the scheduler stands still')
      await nextTurn()
    }
  }
  const answer = (id: number) => textOf(parts.get(id) ?? [])
  const reused = (id: number) => finishOf(parts.get(id)!).reusedTokens
  return { forward, scheduler, submit, settle, answer, reused, parts, errors, order }
}

async function alone(prompt: string, options: JobOptions = {}): Promise<string> {
  const { submit, settle, answer } = bench({ cacheBytes: 0 })
  const id = submit(prompt, options)
  await settle(id)
  return answer(id)
}

test('many at once get the answers that each gets alone', async () => {
  const { submit, settle, answer, forward } = bench()
  const prompts = Array.from({ length: 12 }, (_, index) =>
    `prompt number ${index} `.repeat(1 + index),
  )
  const ids = prompts.map((prompt) => submit(prompt, { tokensMax: 9 }))
  await settle(...ids)
  for (const [index, prompt] of prompts.entries()) {
    assert.equal(answer(ids[index]!), await alone(prompt, { tokensMax: 9 }))
  }
  assert.ok(forward.steps.some((step) => step.rows > 1))
  assert.ok(forward.steps.every((step) => step.rows <= 4))
})

test('an answer begins with the size of its prompt, comes token by token and ends with usage', async () => {
  const { submit, settle, parts } = bench()
  const id = submit('hello', { tokensMax: 3 })
  await settle(id)
  assert.deepEqual(
    parts.get(id)!.map((part) => part.type),
    ['prompt', 'text-delta', 'text-delta', 'text-delta', 'finish'],
  )
  const { usage, reason } = finishOf(parts.get(id)!)
  assert.deepEqual(reason, { kind: 'length' })
  assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.cacheReadTokens], [1, 3, 0])
})

test('a long prompt is read in pieces, between which running answers go on', async () => {
  const { submit, settle, forward } = bench()
  const running = submit('short', { tokensMax: 60 })
  while (forward.steps.length < 5) await nextTurn()
  const from = forward.steps.length
  await settle(submit('x'.repeat(200)), running)
  const pieces = forward.steps.slice(from).filter((step) => step.tokens[0]! > 1)
  assert.ok(pieces.length > 10 && pieces.every((step) => step.tokens[0]! <= 16))
  const between = forward.steps.slice(from, from + 20).filter((step) => step.tokens[0] === 1)
  assert.ok(between.length >= 9)
})

test('many prompts in line get one piece a round between them', async () => {
  const { submit, settle, forward, parts } = bench()
  const running = submit('short', { tokensMax: 90 })
  while (!parts.has(running)) await nextTurn()
  const from = forward.steps.length
  const prompts = ['x', 'y', 'z'].map((letter) => submit(letter.repeat(200), { tokensMax: 1 }))
  await settle(...prompts)
  let piece = 0
  for (const { tokens } of forward.steps.slice(from)) {
    // The running answer has one token in every round.
    piece = tokens[0] === 1 ? 0 : piece + tokens[0]!
    assert.ok(piece <= 16, `${piece} tokens of prompts in one round`)
  }
  await settle(running)
})

test('one prompt does not keep another waiting until it is read', async () => {
  const { submit, settle, order } = bench()
  const long = submit('x'.repeat(500), { tokensMax: 1 })
  const short = submit('hi', { tokensMax: 1 })
  await settle(long, short)
  assert.deepEqual(order, [short, long])
})

test('adapters run apart and answer apart', async () => {
  const { submit, settle, answer, forward } = bench()
  const folders = [undefined, 'one', 'three', undefined]
  const ids = folders.map((folder) => submit('hello', folder ? { adapterFolder: folder } : {}))
  await settle(...ids)
  assert.equal(answer(ids[0]!), answer(ids[3]!))
  assert.equal(new Set(ids.map(answer)).size, 3)
  assert.ok(forward.steps.some((step) => step.adapter?.rank === 'one'.length))
  assert.ok(forward.steps.some((step) => step.rows === 2 && step.adapter === null))
})

test('an adapter that cannot be read fails its own call only', async () => {
  const { submit, settle, errors } = bench()
  const [bad, good] = [submit('a', { adapterFolder: 'missing' }), submit('a')]
  await settle(bad, good)
  assert.equal(errors.get(bad)?.failure, 'broken')
  assert.ok(!errors.has(good))
})

test('a workspace with many waiting does not keep out another', async () => {
  const { submit, settle, order } = bench({ rowsMax: 1 })
  const greedy = Array.from({ length: 10 }, () => submit('many', { workspaceId: 'greedy' }))
  const modest = submit('one', { workspaceId: 'modest' })
  await settle(...greedy, modest)
  assert.ok(order.indexOf(modest) <= 2)
})

test('a workspace that runs nothing waits for no long answer of another', async () => {
  const { submit, settle, answer, parts, forward } = bench({ rowsMax: 2 })
  const greedy = Array.from({ length: 5 }, (_, index) =>
    submit(`many ${index}`, { workspaceId: 'greedy', tokensMax: 200 }),
  )
  while (!parts.has(greedy[1]!)) await nextTurn()
  const modest = submit('one', { workspaceId: 'modest', tokensMax: 5 })
  await settle(modest)
  assert.ok(greedy.every((id) => (parts.get(id)?.length ?? 0) < 50))
  assert.equal(greedy.filter((id) => parts.has(id)).length, 2, 'its own wait as before')
  await settle(...greedy)
  assert.ok(forward.steps.every((step) => step.rows <= 2))
  for (const [index, id] of greedy.entries()) {
    assert.equal(answer(id), await alone(`many ${index}`, { tokensMax: 200 }))
  }
})

test('a workspace that runs one answer has no second one while all places are taken', async () => {
  const { submit, settle, parts } = bench({ rowsMax: 2 })
  const first = submit('a', { workspaceId: 'a', tokensMax: 40 })
  const other = submit('b', { workspaceId: 'b', tokensMax: 40 })
  while (!parts.has(other)) await nextTurn()
  const second = submit('c', { workspaceId: 'a', tokensMax: 1 })
  while (parts.get(first)!.length < 20) await nextTurn()
  assert.ok(!parts.has(second))
  await settle(first, other, second)
})

test('rows beyond the places have a bound too', async () => {
  const { submit, settle, parts } = bench({ rowsMax: 1 })
  const ids = Array.from({ length: 9 }, (_, index) =>
    submit('a', { workspaceId: `w${index}`, tokensMax: 40 }),
  )
  while (!ids.some((id) => (parts.get(id)?.length ?? 0) > 20)) await nextTurn()
  assert.equal(ids.filter((id) => parts.has(id)).length, 4)
  await settle(...ids)
})

test('a full queue turns the next away as overloaded, and one workspace cannot fill it alone', () => {
  const { submit, errors } = bench({ waitingMax: 10 })
  const greedy = Array.from({ length: 12 }, () => submit('a', { workspaceId: 'greedy' }))
  const others = Array.from({ length: 7 }, (_, index) => submit('a', { workspaceId: `w${index}` }))
  const refused = (ids: number[]) =>
    ids.filter((id) => errors.get(id)?.failure === 'overloaded').length
  assert.equal(refused(greedy), 6, 'one runs and five wait')
  assert.equal(refused(others), 2)
})

test('a cancelled request is not computed again, wherever it stands', async () => {
  const { scheduler, submit, settle, parts, forward } = bench({ rowsMax: 1 })
  const running = submit('a', { tokensMax: 500 })
  const waiting = submit('b')
  while ((parts.get(running)?.length ?? 0) < 3) await nextTurn()
  scheduler.cancel(waiting)
  scheduler.cancel(running)
  const before = parts.get(running)!.length
  const next = submit('c')
  await settle(next)
  assert.ok(!parts.has(waiting))
  assert.ok(parts.get(running)!.length <= before + 1)
  assert.ok(forward.steps.length < 20)
})

test('a call cancelled while its adapter is read is never begun', async () => {
  const { scheduler, submit, settle, parts } = bench()
  const id = submit('a', { adapterFolder: 'slow' })
  scheduler.cancel(id)
  const late = submit('a', { adapterFolder: 'slow' })
  await nextTurn()
  await settle(late)
  assert.ok(!parts.has(id))
})

test('who gives up takes nobody along whose adapter is being read', async () => {
  const { scheduler, submit, settle, answer } = bench()
  const id = submit('a', { adapterFolder: 'slow' })
  scheduler.cancel(submit('b'))
  await settle(id)
  assert.equal(answer(id).length, 5)
})

test('a place that is given up goes to who waits for it', async () => {
  const { scheduler, submit, parts } = bench({ rowsMax: 2 })
  const stuck = Array.from({ length: 7 }, () => submit('stuck', { tokensMax: 50, credit: 4 }))
  const begun = () => stuck.filter((id) => parts.has(id))
  while (begun().length < 6) await nextTurn()
  for (let turns = 0; turns < 200; turns++) await nextTurn()
  assert.equal(begun().length, 6)
  scheduler.cancel(stuck[0]!)
  for (let turns = 0; begun().length < 7; turns++) {
    assert.ok(turns < 500, 'nobody took the place')
    await nextTurn()
  }
})

test('readers who have stopped, and those who wait behind them, cost nothing', async () => {
  const { submit, parts } = bench({ rowsMax: 1 })
  const stuck = Array.from({ length: 5 }, () => submit('stuck', { tokensMax: 50, credit: 4 }))
  for (let turns = 0; turns < 200; turns++) await nextTurn()
  assert.equal(stuck.filter((id) => parts.has(id)).length, 3)
  assert.ok(!process.getActiveResourcesInfo().includes('Immediate'), 'it looks for work for ever')
})

test('a reader that stops reading stops the writing, and gives its place to others', async () => {
  const { scheduler, submit, settle, parts, forward } = bench({ rowsMax: 1 })
  const slow = submit('slow', { tokensMax: 50, credit: 4 })
  const other = submit('other')
  await settle(other)
  for (let turns = 0; turns < 20; turns++) await nextTurn()
  assert.equal(parts.get(slow)!.length, 4)
  const steps = forward.steps.length
  for (let turns = 0; turns < 20; turns++) await nextTurn()
  assert.equal(forward.steps.length, steps, 'nothing is computed for nobody')
  scheduler.credit(slow, 1000)
  await settle(slow)
  assert.equal(textOf(parts.get(slow)!), await alone('slow', { tokensMax: 50 }))
})

test('a workspace whose readers have all stopped keeps out no other', async () => {
  const { scheduler, submit, settle, parts } = bench({ rowsMax: 2 })
  const stuck = Array.from({ length: 12 }, () =>
    submit('stuck', { workspaceId: 'stuck', tokensMax: 50, credit: 4 }),
  )
  const begun = () => stuck.filter((id) => parts.has(id))
  while (begun().length < 6) await nextTurn()
  // More than enough for every row to come to the end of its credit.
  for (let turns = 0; turns < 200; turns++) await nextTurn()
  const others = Array.from({ length: 3 }, (_, index) =>
    submit('other', { workspaceId: `other ${index}` }),
  )
  await settle(...others)
  assert.equal(begun().length, 6, 'two of the eight that may be kept are left to others')
  for (const id of stuck) scheduler.cancel(id)
  await settle(submit('again', { workspaceId: 'stuck' }))
})

test('no step reads more of a prompt than one piece, even where nothing else is to do', async () => {
  const { submit, settle, forward } = bench({ promptPiece: 16 })
  await settle(submit('x'.repeat(100)))
  assert.ok(forward.steps.every(({ tokens }) => tokens.every((count) => count <= 16)))
})

test('a failed step fails the rows in it, and the next request is served', async () => {
  const { submit, settle, errors, forward, answer } = bench()
  const id = submit('a')
  forward.broken = true
  await settle(id)
  assert.equal(errors.get(id)?.failure, 'broken')
  forward.broken = false
  const next = submit('a')
  await settle(next)
  assert.equal(answer(next), await alone('a'))
})

test('nothing of a failed answer is used again', async () => {
  const { submit, settle, errors, forward, reused, parts } = bench()
  const id = submit(long, { tokensMax: 50 })
  while (!parts.has(id)) await nextTurn()
  forward.broken = true
  await settle(id)
  assert.equal(errors.get(id)?.message, 'The model failed while it computed this answer.')
  forward.broken = false
  const next = submit(long)
  await settle(next)
  assert.equal(reused(next), 0)
})

const long = 'a long system prompt that many requests begin with, again and again. '

test('a prompt whose beginning was seen is computed from there on, with the same answer', async () => {
  const { submit, settle, answer, reused, forward } = bench()
  const first = submit(`${long}first`)
  await settle(first)
  const computed = () =>
    forward.steps.reduce((sum, step) => sum + step.tokens.reduce((a, b) => a + b, 0), 0)
  const before = computed()
  const second = submit(`${long}second`)
  await settle(second)
  assert.equal(reused(first), 0)
  assert.equal(reused(second), tokenizer.encodeText(long).length)
  assert.ok(computed() - before < 20)
  assert.equal(answer(second), await alone(`${long}second`))
})

test('the very same prompt leaves one token to compute', async () => {
  const { submit, settle, answer, reused } = bench()
  const ids = [submit(long), 0]
  await settle(ids[0]!)
  ids[1] = submit(long)
  await settle(ids[1])
  assert.equal(reused(ids[1]), tokenizer.encodeText(long).length - 1)
  assert.equal(answer(ids[0]!), answer(ids[1]))
})

test('a conversation goes on from its own last answer', async () => {
  const { submit, settle, answer, reused } = bench()
  const first = submit(long)
  await settle(first)
  const next = submit(`${long}${answer(first)}`)
  await settle(next)
  assert.ok(reused(next)! >= tokenizer.encodeText(long).length + 4 - 1)
})

test('the last token of an answer was picked and never computed, and is no part of what is kept', async () => {
  const { submit, settle, answer, reused } = bench()
  const first = submit(long)
  await settle(first)
  const next = submit(`${long}${answer(first)} 123`)
  await settle(next)
  assert.equal(reused(next), tokenizer.encodeText(long).length + 4)
  assert.equal(answer(next), await alone(`${long}${answer(first)} 123`))
})

test('a prompt can be reused while its answer is still being written', async () => {
  const { submit, settle, answer, reused, parts } = bench()
  const running = submit(`${long}one`, { tokensMax: 60 })
  while (!parts.has(running)) await nextTurn()
  const second = submit(`${long}two`)
  await settle(second, running)
  assert.ok(reused(second)! > 0)
  assert.equal(answer(running), await alone(`${long}one`, { tokensMax: 60 }))
  assert.equal(answer(second), await alone(`${long}two`))
})

test('no workspace and no adapter is served from what another left', async () => {
  const { submit, settle, reused } = bench()
  await settle(submit(long))
  const others = [submit(long, { workspaceId: 'other' }), submit(long, { adapterFolder: 'x' })]
  await settle(...others)
  assert.deepEqual(others.map(reused), [0, 0])
})

test('the cache keeps to its budget, and a busy workspace pushes out its own first', async () => {
  const { submit, settle, reused } = bench({ cacheBytes: 30_000 })
  await settle(submit(long, { workspaceId: 'quiet' }))
  for (let index = 0; index < 10; index++) {
    await settle(submit(`${index} ${long}`, { workspaceId: 'busy' }))
  }
  const quiet = submit(long, { workspaceId: 'quiet' })
  const old = submit(`0 ${long}`, { workspaceId: 'busy' })
  const recent = submit(`9 ${long}`, { workspaceId: 'busy' })
  await settle(quiet, old, recent)
  assert.ok(reused(quiet)! > 0 && reused(recent)! > 0)
  assert.equal(reused(old), 0)
})

test('a large prompt among many small ones of others is kept', async () => {
  const { submit, settle, reused } = bench({ cacheBytes: 20_000 })
  for (let index = 0; index < 20; index++) {
    await settle(submit('twenty five small tokens', { workspaceId: `small${index}` }))
  }
  await settle(submit(long, { workspaceId: 'large' }))
  const again = submit(long, { workspaceId: 'large' })
  await settle(again)
  assert.ok(reused(again)! > 0)
})
