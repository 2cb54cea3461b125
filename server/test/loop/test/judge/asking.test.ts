// Models and judges asked over HTTP, on the terms of a test: how often, at what cost, and what their failures come to.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Caller } from '#server/account/caller.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { JudgeQuestion } from '#server/engine/judge-prompt.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { askJudge, type JudgeReading } from '#server/loop/test/judge/ask-judge.ts'
import { askModel } from '#server/loop/test/judge/ask-model.ts'
import { answerRequest } from '#server/loop/test/judge/test-request.ts'
import {
  judgeModels,
  judgeRow,
  judgeServers,
  type JudgeServers,
  saysText,
} from '#test/support/judge-servers.ts'
import {
  type Saying,
  type SayingUpstream,
  sayingUpstream,
  status,
} from '#test/support/saying-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

/** Answers once each, in turn, by the model that is asked. */
const scripts: Record<string, Saying[]> = {}
let upstream: SayingUpstream
let judges: JudgeServers
let hone: TestHone
let caller: Caller

before(async () => {
  upstream = await sayingUpstream()
  judges = await judgeServers()
  // A model of its own for each test that fails calls, because a route that failed may rest.
  const models = ['replies', 'fails', 'recovers', 'hangs', 'too-long', 'pauses', 'endless']
  for (const model of models) {
    upstream.says[model] = (exchange) => (scripts[model]?.shift() ?? status(404))(exchange)
  }
  const basic = { id: 'basic', context_window: 8192, max_output_tokens: 256, judge: true }
  const pricing = { input: 1, output: 1 }
  const rows = [
    ...models.map((id) => ({ ...judgeRow(id, upstream.baseUrl), context_window: 131_072 })),
    { ...basic, routes: [{ engine: 'judge-basic', pricing }] },
    ...judges.rows,
  ]
  hone = await testHone({ catalog: { models: rows } })
  caller = await identifyInference(hone.app, { authorization: `Bearer ${hone.owner.key}` })
})
beforeEach(() => {
  upstream.calls.length = 0
})
after(async () => {
  await hone.stop()
  await upstream.close()
  await judges.close()
})

const words = (text: string): Saying => saysText(() => text)
/** What every scripted answer costs: 7 tokens read and 3 written. */
const costOfOne = 7n * 1_000_000n + 3n * 2_000_000n

const subject = { question: 'Where?', rightAnswer: 'Here.', rubric: null }
const scoring: JudgeQuestion = { kind: 'score', ...subject, answer: 'Here.' }

function row(model: string) {
  const found = hone.app.catalog.find(model)
  if (!found) throw new Error(`there is no ${model}`)
  return found
}

function read(
  judge: string,
  question = scoring,
  signal = new AbortController().signal,
): Promise<JudgeReading> {
  return askJudge(hone.app, { caller, judge: row(judge), question, signal })
}

function answer(model: string, signal = new AbortController().signal, said = 'Where?') {
  const messages = [{ role: 'user' as const, blocks: [{ type: 'text' as const, text: said }] }]
  const asked = { model, row: row(model), conversation: { tools: [], system: [], messages } }
  const request = answerRequest({ ...asked, rightAnswer: [{ type: 'text', text: 'Here.' }] })
  return askModel(hone.app, { caller, request, signal })
}

const verdict = { score: 0.8, reason: 'ok' }
const reply = JSON.stringify(verdict)

test('a verdict is read at the first try, or at the second, which says what was wrong', async () => {
  const secondTry =
    /An earlier reply to this request could not be read\. It was not one JSON object\./
  for (const [said, tries] of [
    [[reply], 1],
    [[`\`\`\`json\n${reply}\n\`\`\``], 1],
    [[`I would say: ${reply}`, reply], 2],
    [['Both are fine.', reply], 2],
    [['', reply], 2],
  ] as const) {
    upstream.calls.length = 0
    scripts.replies = said.map(words)
    const cost = costOfOne * BigInt(tries)
    assert.deepEqual(await read('replies'), { verdict, failure: null, away: false, cost })
    const prompts = upstream.calls.map(({ body }) => JSON.stringify(body.messages))
    assert.deepEqual(
      prompts.map((prompt) => secondTry.test(prompt)),
      tries === 1 ? [false] : [false, true],
    )
  }
})

test('what cannot be read at the second try either is a failure to score, at the cost of both', async () => {
  const nothing = '{"score": null}'
  for (const said of [
    ['One.', 'Two.'],
    ['{"score": 2}', '{"score": "1"}'],
    [nothing, nothing],
  ]) {
    scripts.replies = said.map(words)
    const reading = await read('replies')
    assert.deepEqual(reading, {
      verdict: null,
      failure: 'unreadable',
      away: false,
      cost: 2n * costOfOne,
    })
  }
  assert.equal((await read(judgeModels.prose)).failure, 'unreadable')
})

test('without a right answer a judge may leave the question open, as the one of Hone does', async () => {
  const question = { ...scoring, rightAnswer: null }
  scripts.replies = [words('{"score": null, "reason": "nothing to go by"}')]
  const reading = await read('replies', question)
  assert.deepEqual(reading, {
    verdict: null,
    failure: 'no_right_answer',
    away: false,
    cost: costOfOne,
  })
  const pair: JudgeQuestion = { kind: 'pair', ...subject, rightAnswer: null, a: '1', b: '2' }
  for (const open of [question, pair]) {
    assert.equal((await read('basic', open)).failure, 'no_right_answer')
  }
  const exact = await read('basic')
  assert.equal(exact.verdict && 'score' in exact.verdict && exact.verdict.score, 1)
})

test('a judge that fails twice or cannot be reached has failed; one that fails once is asked again', async () => {
  scripts.fails = [status(500), status(500)]
  const failed = { verdict: null, failure: 'judge_failed', away: true, cost: 0n }
  assert.deepEqual(await read('fails'), failed)
  assert.equal(upstream.calls.length, 2)
  assert.deepEqual(await read(judgeModels.down), failed)
  scripts.recovers = [status(500), words(reply)]
  assert.deepEqual(await read('recovers'), { verdict, failure: null, away: false, cost: costOfOne })
})

test('a judge that never ends its reply is cut off, and has failed', async () => {
  const cutOff: Promise<unknown>[] = []
  const endless: Saying = ({ response }) => {
    const words = 'and so '.repeat(10_000)
    const go = (): void => {
      while (!response.destroyed && response.write(words));
    }
    cutOff.push(new Promise((resolve) => response.once('close', resolve)))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"choices":[{"index":0,"message":{"role":"assistant","content":"')
    response.on('drain', go)
    go()
  }
  scripts.endless = [endless, endless]
  const { verdict: none, failure, cost } = await read('endless')
  assert.deepEqual([none, failure, cost], [null, 'judge_failed', 0n])
  assert.equal(cutOff.length, 2)
  await Promise.all(cutOff)
})

test('an answer comes with its cost; an empty one is none, and costs what it cost', async () => {
  scripts.replies = [words('Here.'), words(' \n')]
  const blocks = [{ type: 'text', text: 'Here.' }]
  assert.deepEqual(await answer('replies'), { blocks, cost: costOfOne })
  const why = 'The answer of the model is empty.'
  assert.deepEqual(await answer('replies'), {
    failed: 'no_answer',
    why,
    away: false,
    cost: costOfOne,
  })
})

test('a question of more than 32,768 tokens, or of more than the model takes, is too long and costs nothing', async () => {
  const signal = new AbortController().signal
  // By the estimate of a server that cannot count, four bytes are a token.
  const asked = await answer('too-long', signal, 'x'.repeat(4 * 32_768))
  assert.ok('failed' in asked && asked.failed === 'too_long' && asked.cost === 0n)
  const counted = await answer('basic', signal, 'x'.repeat(4 * 8192))
  assert.ok('failed' in counted && counted.failed === 'too_long')
  assert.equal(upstream.calls.length, 0)
})

test('a call that is aborted throws, whether it is under way, between two tries or not begun', async () => {
  const hangs: Saying = () => {}
  const whileItRuns: [string, Saying][] = [
    ['hangs', hangs],
    ['pauses', status(503, { 'retry-after': '9' })],
  ]
  for (const [model, says] of whileItRuns) {
    for (const ask of [
      answer,
      (name: string, signal: AbortSignal) => read(name, scoring, signal),
    ]) {
      scripts[model] = [says]
      const before = upstream.calls.length
      const abort = new AbortController()
      const failed = assert.rejects(ask(model, abort.signal), { name: 'AbortError' })
      await until(() => upstream.calls.length > before && hone.app.calls.underWay.size === 1)
      abort.abort()
      await failed
      assert.equal(hone.app.calls.underWay.size, 0)
    }
  }
  await assert.rejects(answer('replies', AbortSignal.abort()), { name: 'AbortError' })
})

test('a call that Hone ends because it stops throws, and none begins then', async () => {
  scripts.hangs = [() => {}]
  const stopped = new Refusal('unavailable', 'Hone is being stopped.')
  const failed = assert.rejects(answer('hangs'))
  await until(() => upstream.calls.length === 1)
  for (const call of hone.app.calls.underWay) call.abort(stopped)
  await failed
  hone.app.operations.closing = true
  try {
    await assert.rejects(answer('replies'), { code: 'unavailable' })
  } finally {
    hone.app.operations.closing = false
  }
  assert.equal(upstream.calls.length, 1)
})

test('a name that stands for no model is no failure of a sample', async () => {
  const request = {
    ...answerRequest({
      model: 'gone',
      row: row('replies'),
      conversation: { tools: [], system: [], messages: [] },
      rightAnswer: [],
    }),
  }
  const { signal } = new AbortController()
  await assert.rejects(askModel(hone.app, { caller, request, signal }), { code: 'model_not_found' })
})

test('the judges for tests judge as they say', async () => {
  const pair: JudgeQuestion = { kind: 'pair', ...subject, a: 'There.', b: 'Here.' }
  const better = async (judge: string) => {
    const { verdict } = await read(judge, pair)
    return verdict && 'better' in verdict ? verdict.better : null
  }
  const score = async (judge: string, said: string) => {
    const { verdict } = await read(judge, { kind: 'score', ...subject, answer: said })
    return verdict && 'score' in verdict ? verdict.score : null
  }
  assert.deepEqual([await better(judgeModels.first), await score(judgeModels.first, '?')], ['a', 1])
  assert.deepEqual(
    [await better(judgeModels.honest), await score(judgeModels.honest, '?')],
    ['b', 0],
  )
  assert.equal(await score(judgeModels.honest, 'Here.'), 1)
  assert.equal(await score(judgeModels.random, '1'), await score(judgeModels.random, '1'))
  assert.notEqual(await score(judgeModels.random, '1'), await score(judgeModels.random, '2'))
})

test('nothing of all this is recorded, counted as use or charged', async () => {
  await hone.quiet()
  await hone.app.money.usage.flush()
  for (const table of ['sample', 'usage_record', 'wallet_lease']) {
    const [found] = await hone.app.storage.pool.query(
      `count_${table}`,
      `select count(*)::integer as count from ${table}`,
      [],
    )
    assert.equal((found as { count: number }).count, 0, table)
  }
})
