// Everything a model server can do wrong, in both upstream dialects, to clients of both dialects, streamed and not: what
// the client gets, that nothing is billed or held, that the upstream is let go, and that the next call works.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  type DialectName,
  dig,
  leastBody,
  paths,
  readEvents,
} from '#test/support/chaos-hone.ts'
import { upstreamSecret } from '#test/support/chaos-upstream.ts'
import { openStream } from '#test/support/open-stream.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())
// Failures of one test must not make a route rest in the next, nor its last charge land there.
beforeEach(async () => {
  await rig.settled()
  rested()
})

function rested(): void {
  rig.hone.app.calls.answerPorts.health = new RouteHealth()
}

type Variant = { dialect: DialectName; model: string; stream: boolean }

function variants(mode: string): Variant[] {
  return dialects.flatMap((dialect) =>
    [mode, `anthropic/${mode}`].flatMap((model) =>
      [false, true].map((stream) => ({ dialect, model, stream })),
    ),
  )
}

const named = ({ dialect, model, stream }: Variant): string =>
  `${model} to a ${dialect} client, ${stream ? 'streamed' : 'whole'}`

function checkNoEnd(answer: Answer): void {
  assert.doesNotMatch(answer.text, /\[DONE\]|message_stop|message_delta|"finish_reason":"/)
  assert.doesNotMatch(answer.text, new RegExp(`${upstreamSecret}|:${rig.upstream.port}`))
}

/** Nothing was sent to the client yet, so the failure has a status of its own. */
function checkBefore(variant: Variant, answer: Answer): void {
  assert.equal(answer.status, 503, named(variant))
  checkNoEnd(answer)
  const type = dig(answer.json, 'error.type')
  assert.equal(type, variant.dialect === 'chat' ? 'service_unavailable_error' : 'overloaded_error')
}

/** The answer had begun: an error in the stream, or a plain one where nothing was streamed. */
function checkMiddle(variant: Variant, answer: Answer): void {
  checkNoEnd(answer)
  const type = variant.dialect === 'chat' ? 'server_error' : 'api_error'
  if (!variant.stream) {
    assert.equal(answer.status, 502, named(variant))
    assert.equal(dig(answer.json, 'error.type'), type)
    return
  }
  assert.equal(answer.status, 200, named(variant))
  const last = readEvents(answer.text).at(-1)
  assert.equal(last?.event, 'error')
  assert.equal(dig(last?.data, 'error.type'), type)
}

/** Each way to fail, with the row of the fault list it belongs to. */
const before503 = {
  hang_before_headers: 'U1',
  rst_before_headers: 'U2',
  garbage_bytes: 'U3',
  html: 'U3',
  empty: 'U3',
  gzip: 'U5',
  redirect: 'S3',
  error_event_first: 'U9',
  status_401: 'U3',
  status_404: 'U3',
  status_429: 'U3',
  status_500: 'U3',
  status_529: 'U3',
}

const inTheMiddle = {
  rst: 'U2',
  fin_mid_chunk: 'U2',
  half_frame: 'U2',
  half_json: 'U3',
  garbage_json: 'U3',
  not_an_object: 'U3',
  content_length_too_long: 'U3',
  content_length_too_short: 'U3',
  error_event: 'U9',
  huge_line: 'U5',
  invalid_utf8: 'U3',
  no_finish: 'U3',
  no_usage: 'M7',
  negative_usage: 'M7',
  usage_1e308: 'M7',
  usage_string: 'M7',
  usage_fraction: 'M7',
  usage_not_an_object: 'M7',
  usage_huge: 'M7',
}

for (const [modes, check, when] of [
  [before503, checkBefore, 'before its answer'],
  [inTheMiddle, checkMiddle, 'in the middle of its answer'],
] as const) {
  for (const [mode, row] of Object.entries(modes)) {
    test(`${row}: ${mode} fails ${when}, in dialect, and costs nothing`, async () => {
      const wallet = await rig.wallet()
      const seen = rig.upstream.calls.length
      const answers = await Promise.all(
        variants(mode).map(async (variant) => {
          const { dialect, ...fields } = variant
          return { variant, answer: await rig.post(dialect, fields) }
        }),
      )
      for (const { variant, answer } of answers) {
        // Calls at once on one route: those that come after its third failure find it resting.
        if (check === checkMiddle && answer.status === 503) checkBefore(variant, answer)
        else check(variant, answer)
      }
      await rig.settled()
      assert.deepEqual(await rig.wallet(), wallet)
      assert.ok(rig.upstream.calls.length > seen)
      rested()
      const next = await rig.post('chat', { model: 'ok' })
      assert.equal(next.status, 200)
      await rig.settled()
    })
  }
}

test('U3: bytes that are no text are told apart from a connection that broke', async () => {
  for (const model of ['invalid_utf8', 'gzip', 'whole_invalid_utf8']) {
    rested()
    const { text } = await rig.post('chat', { model, stream: model !== 'whole_invalid_utf8' })
    assert.match(text, /sent a response that is not a valid answer/, model)
  }
  rested()
})

for (const variant of variants('ok')) {
  test(`a healthy answer for comparison: ${named(variant)}`, async () => {
    const { dialect, ...fields } = variant
    const wallet = await rig.wallet()
    const answer = await rig.post(dialect, fields)
    assert.equal(answer.status, 200)
    await rig.settled()
    const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
    assert.equal(Math.round(spent * 1e6), 13)
  })
}

test('a missing end mark is done without where the answer has said why it ended', async () => {
  for (const dialect of dialects) {
    assert.equal((await rig.post(dialect, { model: 'no_done' })).status, 200)
    assert.equal((await rig.post(dialect, { model: 'anthropic/no_done' })).status, 200)
  }
})

test('U5: an endless answer is cut at its cap, and costs nothing', async () => {
  const wallet = await rig.wallet()
  const variantsOfIt: Variant[] = [
    { dialect: 'chat', model: 'endless', stream: true },
    { dialect: 'chat', model: 'anthropic/endless', stream: false },
    { dialect: 'messages', model: 'anthropic/endless_thinking', stream: true },
  ]
  for (const variant of variantsOfIt) {
    const { dialect, ...fields } = variant
    const seen = rig.upstream.calls.length
    const { status, text } = await rig.post(dialect, fields)
    assert.equal(status, variant.stream ? 200 : 502, named(variant))
    assert.match(text.slice(-500), /"error":\{/)
    assert.doesNotMatch(text.slice(-500), /DONE|message_stop/)
    await until(() => rig.upstream.calls[seen]?.left === true)
  }
  await rig.settled()
  assert.deepEqual(await rig.wallet(), wallet)
})

for (const dialect of dialects) {
  for (const model of ['hang_mid_stream', 'anthropic/hang_mid_stream']) {
    test(`M6: a ${dialect} client that leaves a silent stream of ${model} cancels it and pays nothing`, async () => {
      const wallet = await rig.wallet()
      const seen = rig.upstream.calls.length
      const stream = await openStream(rig, dialect, { model })
      await until(() => stream.text.includes('Hello'))
      assert.equal(rig.upstream.calls[seen]?.left, false)
      assert.notEqual((await rig.wallet()).held_usd, '0')
      stream.abort()
      await until(() => rig.upstream.calls[seen]?.left === true)
      await rig.settled()
      assert.deepEqual(await rig.wallet(), wallet)
    })
  }

  for (const model of ['hang_after_headers', 'hang_mid_stream', 'anthropic/hang_mid_stream']) {
    test(`U7: a ${dialect} client that leaves while it waits for all of ${model} cancels it`, async () => {
      const wallet = await rig.wallet()
      const seen = rig.upstream.calls.length
      const abort = new AbortController()
      const call = fetch(rig.hone.url + paths[dialect], {
        method: 'POST',
        headers: { authorization: `Bearer ${rig.hone.owner.key}` },
        body: JSON.stringify({ model, ...leastBody }),
        signal: abort.signal,
      })
      await until(() => rig.upstream.calls.length > seen)
      abort.abort()
      await assert.rejects(call)
      await until(() => rig.upstream.calls[seen]?.left === true)
      await rig.settled()
      assert.deepEqual(await rig.wallet(), wallet)
    })
  }

  for (const model of ['stepped', 'anthropic/stepped']) {
    test(`M6: a ${dialect} client that leaves after any record of ${model} but the last pays nothing`, async () => {
      const wallet = await rig.wallet()
      // The first word is in the second record of one dialect and in the third of the other.
      const first = model === 'stepped' ? 2 : 3
      const records = model === 'stepped' ? 6 : 8
      for (let steps = first; steps < records; steps++) {
        rig.upstream.steps = steps
        const seen = rig.upstream.calls.length
        const stream = await openStream(rig, dialect, { model })
        await until(() => stream.text.includes(steps > first ? ' world' : 'Hello'))
        stream.abort()
        await until(() => rig.upstream.calls[seen]?.left === true)
        await rig.settled()
        assert.deepEqual(await rig.wallet(), wallet, `${steps} records`)
      }
    })
  }

  test(`M6: a ${dialect} client that closes on the final record pays`, async () => {
    const wallet = await rig.wallet()
    const stream = await openStream(rig, dialect, { model: 'ok' })
    const last = dialect === 'chat' ? '"finish_reason":"stop"' : 'message_delta'
    await until(() => stream.text.includes(last))
    stream.abort()
    await rig.settled()
    const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
    assert.equal(Math.round(spent * 1e6), 13)
  })
}

test('U3: a connection whose framing broke is not used again; a healthy one is', async () => {
  const broken = await rig.post('chat', { model: 'content_length_too_short', stream: true })
  assert.equal(broken.status, 200, broken.text)
  const spoiled = rig.upstream.calls.at(-1)?.connection
  const used: (number | undefined)[] = []
  for (let i = 0; i < 5; i++) {
    const next = await rig.post('chat', { model: 'ok', stream: i % 2 === 0 })
    assert.equal(next.status, 200, next.text)
    await rig.settled()
    used.push(rig.upstream.calls.at(-1)?.connection)
  }
  assert.ok(!used.includes(spoiled))
  assert.equal(new Set(used).size, 1, `connections ${used.join(', ')}`)
})

test('S21: streams that the model server breaks are not held against the client as disconnects', async (context) => {
  context.mock.method(rig.hone.app.calls.answerPorts.health, 'admit', () => 'fit')
  const body = { model: 'error_event', stream: true }
  for (let i = 0; i < 6; i++) {
    await Promise.all(Array.from({ length: 20 }, () => rig.post('chat', body)))
  }
  await rig.settled()
  assert.equal((await rig.post('chat', { model: 'ok' })).status, 200)
})

test('S3: a redirect is not followed', async () => {
  const seen = rig.upstream.calls.length
  await rig.post('chat', { model: 'redirect' })
  assert.equal(rig.upstream.calls.length, seen + 1)
})
