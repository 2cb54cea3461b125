// Calls that become samples, and those that do not: the recording headers on both endpoints, whole and streamed.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createKey, createWorkspace, otherOrg } from '#test/support/accounts.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { openStream } from '#test/support/open-stream.ts'

let hone: LoopHone

before(async () => {
  hone = await loopHone()
  await hone.pipeline('Support')
  await hone.pipeline('Sales')
})
after(() => hone.stop())

const support = { 'x-loop-pipeline': 'support' }

async function outcome(tag: string, kind: string): Promise<number> {
  const { capture } = await hone.stats()
  return capture.counts
    .filter((count) => count.tag === tag && count.outcome === kind)
    .reduce((sum, count) => sum + count.calls, 0)
}

async function total(): Promise<number> {
  return (await hone.stats()).samples.total ?? -1
}

/** Nothing is stored after the answer; a recorded call behind it proves that storing has caught up. */
async function assertNothingNew(act: () => Promise<unknown>): Promise<void> {
  await hone.sampleOf(await hone.ask({ headers: support }))
  const before = await total()
  await act()
  await hone.sampleOf(await hone.ask({ headers: support }))
  assert.equal(await total(), before + 1)
}

for (const dialect of ['chat', 'messages'] as const) {
  for (const stream of [false, true]) {
    const how = `a ${stream ? 'streamed' : 'whole'} ${dialect} call`

    test(`${how} with a tag becomes a sample, named before the body`, async () => {
      const answer = await hone.ask({ dialect, stream, headers: support, text: `By ${how}` })
      assert.equal(answer.status, 200)
      const trace = await hone.sampleOf(answer)
      assert.equal(trace.id, answer.headers.get('x-loop-sample-id'))
      assert.equal(trace.origin, 'captured')
      assert.equal(trace.source, 'plain')
      assert.equal(trace.model, 'plain')
      assert.deepEqual(trace.tags, ['support'])
      assert.deepEqual(trace.messages, [{ role: 'user', content: `By ${how}` }])
      assert.deepEqual(trace.answer, { role: 'assistant', content: 'Hello world' })
      assert.equal(trace.verdict, null)
      assert.equal(trace.where, 'platform')
    })

    test(`${how} whose answer continues a secret shows neither half of it`, async () => {
      // The scripted answer begins with `Hello`, which are the last letters of the token.
      const begun = 'ghp' + '_c4naryc4naryc4naryc4naryc4nary1'
      const messages = [
        { role: 'user', content: 'Go on' },
        { role: 'assistant', content: begun },
      ]
      const answer = await hone.ask({ dialect, stream, headers: support, body: { messages } })
      assert.equal(answer.status, 200, answer.text)
      const trace = await hone.sampleOf(answer)
      assert.deepEqual(trace.messages, [
        { role: 'user', content: 'Go on' },
        { role: 'assistant', content: '[redacted:key]' },
      ])
      assert.deepEqual(trace.answer, { role: 'assistant', content: '[redacted:key] world' })
      assert.deepEqual(await tablesWith(hone.app.storage.db, begun.slice(-8)), [])
    })

    test(`${how} without a tag does not`, async () => {
      await assertNothingNew(async () => {
        const answer = await hone.ask({ dialect, stream })
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('x-loop-sample-id'), null)
      })
    })

    test(`${how} that is cut short is not recorded`, async () => {
      await assertNothingNew(async () => {
        const answer = await hone.ask({ dialect, stream, model: 'breaks', headers: support })
        assert.doesNotMatch(answer.text, /\[DONE\]|message_stop/)
      })
    })
  }
}

describe('the headers', () => {
  test('several tags', async () => {
    const headers = { 'x-loop-pipeline': 'support, sales,support' }
    const trace = await hone.sampleOf(await hone.ask({ headers }))
    assert.deepEqual(trace.tags, ['support', 'sales'])
  })

  test('an unknown tag is counted, and the call recorded under the known one', async () => {
    const headers = { 'x-loop-pipeline': 'nobody,sales' }
    const trace = await hone.sampleOf(await hone.ask({ headers }))
    assert.deepEqual(trace.tags, ['sales'])
    await eventually(
      () => outcome('nobody', 'unknown_tag'),
      (calls) => calls === 1,
    )
  })

  test('an unknown tag alone records nothing', async () => {
    await assertNothingNew(async () => {
      const answer = await hone.ask({ headers: { 'x-loop-pipeline': 'stranger' } })
      assert.equal(answer.headers.get('x-loop-sample-id'), null)
    })
    await eventually(
      () => outcome('stranger', 'unknown_tag'),
      (calls) => calls === 1,
    )
  })

  for (const tag of ['__proto__', 'constructor', 'Support', "' or 1=1 --", 'a'.repeat(5000)]) {
    test(`${tag.slice(0, 20)} is just another unknown tag`, async () => {
      const answer = await hone.ask({ headers: { 'x-loop-pipeline': tag } })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('x-loop-sample-id'), null)
      assert.equal(({} as Record<string, unknown>).polluted, undefined)
    })
  }

  test('a call that is recorded is none that was not, whatever else it names', async () => {
    const missed = async () => (await hone.stats()).capture.not_recorded
    const lines = async () =>
      (await hone.stats()).capture.counts.filter(({ tag }) => /^(few|many|none)-/.test(tag)).length
    // Once this one is counted, so are those before it.
    await hone.ask({ headers: { 'x-loop-pipeline': 'few-first' } })
    await eventually(lines, (count) => count === 1)
    const before = await missed()
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${name}-${index}`).join(',')
    await hone.sampleOf(
      await hone.ask({ headers: { 'x-loop-pipeline': `${many('few', 40)},sales` } }),
    )
    // However many come first, the known one is found; those beyond the first hundred have no line.
    const long = await hone.ask({ headers: { 'x-loop-pipeline': `${many('many', 150)},sales` } })
    assert.deepEqual((await hone.sampleOf(long)).tags, ['sales'])
    await hone.ask({ headers: { 'x-loop-pipeline': many('none', 3) } })
    await eventually(lines, (count) => count === 144)
    assert.equal(await missed(), before + 1)
  })

  test('capture off is over the tag', async () => {
    await assertNothingNew(async () => {
      for (const off of ['Off', ' off ', 'off, off', 'on, off']) {
        const headers = { ...support, 'x-loop-capture': off }
        const answer = await hone.ask({ headers })
        assert.equal(answer.headers.get('x-loop-sample-id'), null, off)
      }
    })
  })

  test('a refused call becomes nothing', async () => {
    await assertNothingNew(async () => {
      assert.equal((await hone.ask({ model: 'nothing', headers: support })).status, 404)
      assert.equal((await hone.ask({ model: 'refuses', headers: support })).status, 503)
    })
  })

  test('a client that leaves in the middle is not recorded', async () => {
    await assertNothingNew(async () => {
      const stream = await openStream({ hone }, 'chat', { model: 'slow' }, { headers: support })
      stream.abort()
      await stream.ended
      await hone.quiet()
    })
  })
})

describe('a repeated X-Request-ID', () => {
  test('is recorded once, and the second answer names the same sample', async () => {
    const headers = { ...support, 'x-request-id': 'the-same-thing' }
    const first = await hone.ask({ headers, text: 'First' })
    const trace = await hone.sampleOf(first)
    assert.equal(trace.request_id, 'the-same-thing')
    const second = await hone.ask({ headers, text: 'Second' })
    assert.equal((await hone.sampleOf(second)).id, trace.id)
    assert.deepEqual((await hone.sampleOf(second)).messages, [{ role: 'user', content: 'First' }])
    await eventually(
      () => outcome('support', 'repeated'),
      (calls) => calls === 1,
    )
  })

  test('whose sample was deleted is recorded anew', async () => {
    const headers = { ...support, 'x-request-id': 'deleted-since' }
    const first = await hone.sampleOf(await hone.ask({ headers, text: 'First' }))
    const path = `/api/loop/traces/${first.id}`
    assert.equal((await hone.call('DELETE', path, { key: hone.owner.key })).status, 204)
    const again = await hone.ask({ headers, text: 'Second' })
    assert.notEqual(again.headers.get('x-loop-sample-id'), first.id)
    const second = await hone.sampleOf(again)
    assert.deepEqual(second.messages, [{ role: 'user', content: 'Second' }])
  })

  test('at the same moment becomes one sample that both ids name', async () => {
    const headers = { ...support, 'x-request-id': 'at-once' }
    const before = await total()
    const answers = await Promise.all([1, 2, 3, 4].map(() => hone.ask({ headers })))
    const traces = await Promise.all(answers.map((answer) => hone.sampleOf(answer)))
    assert.equal(new Set(traces.map((trace) => trace.id)).size, 1)
    assert.equal(await total(), before + 1)
    const last = answers.at(-1)?.headers.get('x-loop-sample-id') ?? ''
    const feedback = await hone.call('POST', `/api/loop/traces/${last}/signals`, {
      key: hone.owner.key,
      body: { verdict: 'good' },
    })
    assert.equal(feedback.status, 201, feedback.text)
  })

  test('in another workspace is another sample', async () => {
    const stranger = await otherOrg(hone)
    await hone.call('POST', '/api/wallet/top-ups', {
      key: stranger.secret,
      headers: { 'idempotency-key': 'a' },
      body: { amount_usd: '1' },
    })
    await hone.pipeline('Support', stranger.secret)
    const headers = { ...support, 'x-request-id': 'shared-between-tenants' }
    const mine = await hone.sampleOf(await hone.ask({ headers }))
    const theirs = await hone.sampleOf(
      await hone.ask({ headers, key: stranger.secret }),
      stranger.secret,
    )
    assert.notEqual(mine.id, theirs.id)
    const foreign = await hone.call('GET', `/api/loop/traces/${mine.id}`, { key: stranger.secret })
    assert.equal(foreign.status, 404, 'and theirs is not mine to read, however young')
  })
})

test('a request id that holds something sensitive is only fingerprinted, and still known again', async () => {
  const headers = { ...support, 'x-request-id': 'of-eve@example.com' }
  const first = await hone.sampleOf(await hone.ask({ headers }))
  assert.match(first.request_id ?? '', /^sha256:/)
  assert.equal((await hone.sampleOf(await hone.ask({ headers }))).id, first.id)
})

describe('what is kept', () => {
  test('tools, calls, results, system and thoughts', async () => {
    const body = {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather in Oslo?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'The weather', parameters: { type: 'object' } },
        },
      ],
    }
    const trace = await hone.sampleOf(await hone.ask({ headers: support, body, model: 'tools' }))
    assert.deepEqual(trace.messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Oslo?' },
      body.messages[2],
      { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
    ])
    assert.deepEqual(trace.tools, body.tools)
  })

  test('nothing sensitive, wherever it stands', async () => {
    const secret = `sk-${'proj'}-${'Ab1'.repeat(16)}`
    const body = {
      messages: [
        { role: 'system', content: 'Mail to root@example.com.' },
        { role: 'user', content: `My key is ${secret} and my card 4111 1111 1111 1111.` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'mail', arguments: '{"to":"ann@example.com"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Sent from 203.0.113.7' },
      ],
    }
    const trace = await hone.sampleOf(await hone.ask({ headers: support, body }))
    const text = JSON.stringify(trace)
    for (const value of [secret, 'example.com', '4111', '203.0.113.7']) {
      assert.ok(!text.includes(value), `${value} was kept`)
    }
    assert.match(text, /redacted:email/)
    for (const value of [secret, 'ann@example.com', '203.0.113.7']) {
      assert.deepEqual(await tablesWith(hone.app.storage.db, value), [])
    }
  })

  test('an answer too large to keep is counted and answered all the same', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024)
    const before = await outcome('sales', 'too_large')
    const answer = await hone.ask({ headers: { 'x-loop-pipeline': 'sales' }, text, model: 'wide' })
    assert.equal(answer.status, 200)
    await eventually(
      () => outcome('sales', 'too_large'),
      (calls) => calls === before + 1,
    )
  })
})

test('a key of another workspace records there', async () => {
  const workspaceId = await createWorkspace(hone, 'Second')
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const { secret } = await createKey(hone, { ...session, 'x-workspace-id': workspaceId })
  const answer = await hone.ask({ key: secret, headers: support })
  assert.equal(answer.headers.get('x-loop-sample-id'), null, 'its own tags decide')
})
