// S17, the side of storage: markup, scripts, terminal codes, formulas and control characters in samples, names and feedback
// are data. They come back exactly as they were sent, as JSON that no browser sniffs, and a search finds them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Dataset } from '#contract/dataset.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { Trace } from '#contract/sample.ts'
import { indexWorkspace } from '#server/samples/search/index-workspace.ts'
import { imported } from '#test/support/imports.ts'
import { eventually, type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { atOnce } from './search-rig.ts'

const hostile: Record<string, string> = {
  'a script': '<script>alert(document.cookie)</script>',
  'a handler': '"><img src=x onerror="alert(1)">',
  'an svg': '<svg/onload=alert`1`><!--',
  'the end of a script': '</script></textarea></title><b>',
  'a script address': 'javascript:alert(1)//',
  'character references': '&lt;b&gt; &#x3c;script&#x3e; &amp;amp;',
  'a template': "{{constructor.constructor('alert(1)')()}} ${7*7} <%= 7*7 %> #{7*7}",
  'a format': '%s%n%x %(name)s {0} $1 \\1',
  'terminal codes': '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b[2J \u009b31m',
  'a terminal link': '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\',
  'a formula': "=cmd|'/C calc'!A0",
  'a formula with plus': '+1+cmd',
  'a formula with minus': '-2+3+cmd',
  'a formula with at': '@SUM(A1:A9)',
  'a formula behind a tab': '\t=HYPERLINK("http://evil.example","x")',
  'a formula behind a line end': '\r\n=1+1,"quoted ""twice"""',
  'control characters': 'a\u0001b\u0002c\u0008d\u000be\u000cf\u001fg\u007fh\u0085i',
  'line separators': 'one\u2028two\u2029three\nfour\r\nfive',
  'turned writing': '\u202egnp.exe\u202c \u2066hidden\u2069 \u200b\u200d\ufeff!',
  'combining marks': `Z${'\u0300'.repeat(40)}algo`,
  'a JSON text': '{"__proto__":{"admin":true},"constructor":null}',
  quotes: `' " \` \\ \\\\ \\u0041 \\x41 '' ""`,
}

let hone: LoopHone
let workspaceId: string

before(async () => {
  hone = await loopHone({ tasks: [] })
  workspaceId = (await firstWorkspace(hone)).id
  await hone.pipeline('Support')
})
after(() => hone.stop())

/** Every answer is checked for what makes a browser leave it alone. */
async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await hone.call(method, `/api/loop${path}`, {
    key: hone.owner.key,
    ...(body === undefined ? {} : { body }),
  })
  assertPlainJson(answer)
  return answer
}

function assertPlainJson({ headers, text }: Answer): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json(; charset=utf-8)?$/)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.doesNotThrow(() => JSON.parse(text) as unknown)
}

const traceOf = (answer: Answer): Trace => (answer.json as unknown as { trace: Trace }).trace

async function read(id: string): Promise<Trace> {
  const answer = await call('GET', `/traces/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return traceOf(answer)
}

async function found(q: string): Promise<string[]> {
  const answer = await call('GET', `/traces?q=${encodeURIComponent(q)}`)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { traces: { id: string }[] }).traces.map(({ id }) => id)
}

async function index(): Promise<void> {
  while (await indexWorkspace(hone.app.storage, workspaceId, atOnce));
}

function conversation(text: string): object[] {
  const call = { name: 'look_up', arguments: JSON.stringify({ query: text }) }
  return [
    { role: 'system', content: text },
    { role: 'user', content: text },
    {
      role: 'assistant',
      content: text,
      tool_calls: [{ id: 'call_1', type: 'function', function: call }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: text },
    { role: 'assistant', content: text },
  ]
}

describe('S17: what is stored is data', () => {
  for (const [name, text] of Object.entries(hostile)) {
    test(`${name} in a posted and in an imported conversation, found before and after indexing`, async () => {
      const [messages, tools] = [
        conversation(text),
        [{ type: 'function', function: { name: 'look_up', description: text, parameters: {} } }],
      ]
      const posted = await call('POST', '/traces', {
        deployment_id: 'serverless',
        messages,
        tools,
        model: text,
        request_id: text,
        feedback: { verdict: 'edited', correction: text },
      })
      assert.equal(posted.status, 201, posted.text)
      const { trace_ids } = await imported(hone, { source: text, rows: [{ messages, tools }] })
      const [postedId, importedId = ''] = [traceOf(posted).id, trace_ids[0]]
      for (const id of [postedId, importedId]) {
        const trace = await read(id)
        assert.deepEqual([...trace.messages, trace.answer], messages)
        assert.deepEqual(trace.tools, tools)
      }
      const trace = await read(postedId)
      assert.deepEqual([trace.model, trace.request_id, trace.correction], [text, text, text])
      assert.equal((await read(importedId)).source, text)
      const both = [postedId, importedId].sort()
      assert.deepEqual((await found(text)).filter((id) => both.includes(id)).sort(), both)
      await index()
      assert.deepEqual((await found(text)).filter((id) => both.includes(id)).sort(), both)
      const ofModel = await call('GET', `/traces?model=${encodeURIComponent(text)}`)
      assert.deepEqual(
        (ofModel.json as unknown as { traces: { id: string }[] }).traces.map(({ id }) => id),
        [postedId],
      )
    })

    test(`${name} in a recorded call`, async () => {
      const answer = await hone.ask({ text, headers: { 'x-loop-pipeline': 'support' } })
      const trace = await hone.sampleOf(answer)
      assert.deepEqual(trace.messages, [{ role: 'user', content: text }])
      assert.ok((await found(text)).includes(trace.id))
    })

    test(`${name} in names, and in what is said about them`, async () => {
      const trimmed = `${text} of ${name}`.trim()
      const body = { name: trimmed, conditions: { model: text } }
      const made = await call('POST', '/datasets', body)
      assert.equal(made.status, 201, made.text)
      const { dataset } = made.json as unknown as { dataset: Dataset }
      const again = await call('GET', `/datasets/${dataset.id}`)
      assert.deepEqual(again.json, made.json)
      assert.deepEqual([dataset.name, dataset.conditions], [trimmed, { model: text }])
      const taken = await call('POST', '/datasets', body)
      assert.equal(taken.status, 409)
      assert.ok(taken.json.error?.message.includes(JSON.stringify(trimmed)))

      const pipeline = await call('POST', '/pipelines', {
        name: trimmed,
        model: { id: trainableModel },
      })
      assert.equal(pipeline.status, 201, pipeline.text)
      const made2 = (pipeline.json as unknown as { pipeline: Pipeline }).pipeline
      assert.equal(made2.name, trimmed)
      assert.match(made2.tag, /^[a-z0-9-]+$/)
      const untrainable = await call('POST', '/pipelines', { name: 'None', model: { id: text } })
      assert.ok(untrainable.json.error?.message.includes(JSON.stringify(text)))
    })
  }

  test('no label holds anything but plain characters, and the answer says so as JSON', async () => {
    for (const text of Object.values(hostile)) {
      const answer = await call('POST', '/traces', {
        deployment_id: 'serverless',
        prompt: 'q',
        completion: 'a',
        labels: [text],
      })
      assert.equal(answer.status, 400, answer.text)
    }
  })

  test('a tag that somebody calls with is counted and shown as JSON', async () => {
    const tag = '<script>alert(1)</script>=cmd|x'
    await hone.ask({ headers: { 'x-loop-pipeline': tag } })
    const stats = await eventually(
      () => call('GET', '/stats'),
      ({ json }) => {
        const { capture } = json as unknown as { capture: { counts: { tag: string }[] } }
        return capture.counts.some((count) => count.tag === tag)
      },
    )
    assertPlainJson(stats)
  })

  test('what the database cannot hold is refused in names and kept in conversations', async () => {
    const zero = 'before\0after'
    assert.equal((await call('POST', '/datasets', { name: zero })).status, 400)
    const posted = await call('POST', '/traces', {
      deployment_id: 'serverless',
      prompt: zero,
      completion: zero,
    })
    assert.equal(posted.status, 201, posted.text)
    const { id } = traceOf(posted)
    assert.deepEqual((await read(id)).messages, [{ role: 'user', content: zero }])
    assert.ok((await found('before after')).includes(id))
  })
})
