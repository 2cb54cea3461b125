// Kills the real server while it records: afterwards every sample there is belongs to an answer that was delivered, whole
// and once (invariant I5 of the fault list).
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { chosenOwner, honeProcess, preparedFolder } from '#test/support/hone-process.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
before(async () => {
  upstream = await scriptedUpstream()
})
after(() => upstream.close())

type Call = { sampleId: string; whole: boolean }

/** Calls one after another until the server is gone. */
async function callUntilGone(url: string, model: string, calls: Call[]): Promise<void> {
  for (;;) {
    const call: Call = { sampleId: '', whole: false }
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${chosenOwner.key}`,
          'x-loop-pipeline': 'support',
        },
        body: JSON.stringify({
          model,
          stream: true,
          max_tokens: 50,
          messages: [{ role: 'user', content: 'Hi' }],
        }),
      })
      call.sampleId = response.headers.get('x-loop-sample-id') ?? ''
      calls.push(call)
      call.whole = (await response.text()).endsWith('data: [DONE]\n\n')
    } catch {
      return
    }
  }
}

test('killed while it records, it keeps no half of anything', async () => {
  const dataDir = await preparedFolder()
  const { models } = scriptedCatalog(upstream.baseUrl) as { models: object[] }
  const trainable = {
    id: 'hone/hone-mini',
    context_window: 2048,
    max_output_tokens: 1024,
    routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
  }
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify({ models: [...models, trainable] }))
  const key = chosenOwner.key
  const calls: Call[] = []
  let hone = honeProcess({ dataDir })
  let url = await hone.listening()
  const body = { name: 'Support', model: { id: trainable.id } }
  assert.equal((await callHttp(url, 'POST', '/api/loop/pipelines', { key, body })).status, 201)
  const total = async (): Promise<number> => {
    const list = await callHttp(url, 'GET', '/api/loop/traces', { key })
    return (list.json as unknown as { total: number }).total
  }
  for (let round = 1; round <= 2; round++) {
    const before = await total()
    const gone = Promise.all(
      ['plain', 'plain', 'slow', 'slow'].map((model) => callUntilGone(url, model, calls)),
    )
    await until(async () => (await total()) >= before + 40, 60_000)
    hone.kill('SIGKILL')
    await gone
    await hone.ended
    hone = await hone.restart({})
    url = await hone.listening()
  }
  const cut = calls.filter(({ whole }) => !whole)
  assert.ok(cut.length > 0, 'some streams were cut')
  let stored = 0
  for (const { sampleId, whole } of calls) {
    assert.ok(sampleId)
    const read = await callHttp(url, 'GET', `/api/loop/traces/${sampleId}`, { key })
    if (read.status !== 200) {
      assert.equal(read.json.error?.code, 'NOT_FOUND')
      continue
    }
    stored += 1
    assert.ok(whole, 'a stream that was cut became a sample')
    const { trace } = read.json as unknown as { trace: { answer: { content: string } } }
    assert.match(trace.answer.content, /^Hello.* world$/)
  }
  assert.equal(await total(), stored, 'and no other is there')
  assert.ok(stored >= 80, `what was stored before it was killed is still there, not ${stored}`)
  hone.kill('SIGTERM')
  await hone.ended
})
