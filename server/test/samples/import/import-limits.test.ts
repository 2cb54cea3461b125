// Both sides of every limit of an import, its labels and its pipeline, and bodies in both forms, cut anywhere.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { importBodyBytesMax, importRowsMax } from '#contract/limits.ts'
import { type OtherOrg, otherOrg } from '#test/support/accounts.ts'
import {
  addPipeline,
  imported,
  manyRows,
  postImport,
  postLines,
  served,
  storedRows,
  workspaceOf,
} from '#test/support/imports.ts'
import { rawHttp } from '#test/support/raw-http.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
let workspaceId: string
let stranger: OtherOrg
before(async () => {
  hone = await testHone()
  workspaceId = await workspaceOf(hone)
  stranger = await otherOrg(hone)
})
after(() => hone.stop())

const row = { prompt: 'a', completion: 'b' }
const message = (answer: Answer): string => answer.json.error?.message ?? ''

function refusedWith(answer: Answer, status: number, why: RegExp): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(message(answer), why)
}

const countSamples = async (): Promise<number> => {
  const { count } = await hone.app.storage.db
    .selectFrom('sample')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

describe('rows', () => {
  const lines = (count: number): string =>
    manyRows(count)
      .map((one) => JSON.stringify(one))
      .join('\n')

  test(`are at most ${importRowsMax}, in every form`, async () => {
    assert.equal((await imported(hone, { rows: manyRows(importRowsMax) })).imported, importRowsMax)
    // Rows that nobody can store count as well, and cost less.
    const text = Array<string>(importRowsMax).fill('{}').join('\n')
    assert.equal((await imported(hone, { rows: `${text}\n\n` })).refused, importRowsMax)
    assert.equal(served(await postLines(hone, `${text}\n`)).refused, importRowsMax)
  })

  test('of one more are refused, and none of them is stored', async () => {
    const before = await countSamples()
    const why = /at most 5,000|1 to 5,000/
    refusedWith(await postImport(hone, { rows: manyRows(importRowsMax + 1) }), 400, why)
    refusedWith(await postImport(hone, { rows: lines(importRowsMax + 1) }), 400, why)
    refusedWith(await postLines(hone, lines(importRowsMax + 1)), 400, why)
    assert.equal(await countSamples(), before)
  })

  test('there must be', async () => {
    for (const rows of [[], '', ' \n ', null, 7, {}, undefined]) {
      refusedWith(await postImport(hone, { rows }), 400, /\brows\b/)
    }
    for (const raw of ['', '\n\n', ' \r\n']) {
      refusedWith(await postLines(hone, raw), 400, /\brows\b/)
    }
  })

  test('as lines are refused one by one where they are no JSON', async () => {
    const bad = ['{', 'null', '[1]', '"text"', '{"prompt":"a"}x', '['.repeat(2000), 'nonsense']
    const good = JSON.stringify(row)
    const text = bad.flatMap((line) => [line, good]).join('\n')
    for (const result of [
      await imported(hone, { rows: text }),
      served(await postLines(hone, text)),
    ]) {
      assert.equal(result.imported, bad.length)
      assert.deepEqual(
        result.refused_why.flatMap(({ rows }) => rows).sort((a, b) => a - b),
        bad.map((_, index) => 2 * index + 1),
      )
    }
    const cut = new Uint8Array(Buffer.from(`${good}\n{"prompt":"\xff"}\n${good}`, 'latin1'))
    const result = served(await postLines(hone, cut))
    assert.deepEqual(result.refused_why, [{ reason: 'The row is not valid JSON.', rows: [2] }])
    assert.equal(result.imported, 2)
  })

  test('as lines may come with a mark of byte order', async () => {
    assert.equal(served(await postLines(hone, `\ufeff${JSON.stringify(row)}`)).imported, 1)
  })

  test('with keys that mean something to JavaScript are rows like others', async () => {
    const rows = [
      '{"__proto__":{"prompt":"inherited"},"completion":"b"}',
      '{"constructor":{"prototype":{"polluted":true}},"prompt":"a","completion":"b"}',
      '{"prompt":"a","completion":"b","toString":1,"hasOwnProperty":2,"__proto__":{"label":true}}',
      '{"messages":[{"role":"user","content":"a","__proto__":{"role":"system"}}]}',
    ]
    const result = await imported(hone, { rows: rows.join('\n') })
    assert.equal(result.imported, 3)
    assert.equal(result.reviewed, 0)
    assert.deepEqual(result.refused_why, [
      { reason: 'The row has neither messages nor prompt.', rows: [1] },
    ])
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  })
})

describe('a body', () => {
  const head = (more: string): string =>
    `POST /api/loop/import?source=f HTTP/1.1\r\nhost: hone\r\nconnection: close\r\n` +
    `x-api-key: ${hone.owner.key}\r\n${more}\r\n\r\n`

  test('of as many bytes as allowed is read, and one more is 413', async () => {
    const first = `${JSON.stringify({ prompt: 'a '.repeat(500_000) })}\n`
    const blank = `${' '.repeat(4095)}\n`
    const last = `\n${JSON.stringify(row)}`
    const most = `${(first + blank.repeat(importBodyBytesMax / blank.length)).slice(0, importBodyBytesMax - last.length)}${last}`
    assert.equal(served(await postLines(hone, most)).imported, 2)
    refusedWith(await postLines(hone, `${most} `), 413, /larger than 67,108,864 bytes/)
    const declared = await rawHttp(hone.url, head(`content-length: ${importBodyBytesMax + 1}`))
    assert.equal(declared.status, 413)
  })

  test('is not read without a credential', async () => {
    const answer = await rawHttp(
      hone.url,
      'POST /api/loop/import HTTP/1.1\r\nhost: hone\r\ncontent-length: 9999999\r\n\r\n',
    )
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('connection'), 'close')
  })

  test('that is packed is refused', async () => {
    const answer = await hone.call('POST', '/api/loop/import', {
      key: hone.owner.key,
      headers: { 'content-encoding': 'gzip' },
      body: { source: 'f', rows: [row] },
    })
    refusedWith(answer, 400, /Content-Encoding/)
  })

  test('that is none of what it may be is told apart', async () => {
    const line = JSON.stringify(row)
    for (const [body, why] of [
      [gzipSync(line), /gzip; send it unpacked/],
      [Buffer.from(`\ufeff${line}`, 'utf16le'), /UTF-16; send it as UTF-8/],
      [Buffer.from(`\ufeff${line}`, 'utf16le').swap16(), /UTF-16; send it as UTF-8/],
    ] as const) {
      refusedWith(await postLines(hone, new Uint8Array(body)), 400, why)
      const raw = new Uint8Array(body)
      const path = '/api/loop/import?source=f'
      refusedWith(await hone.call('POST', path, { key: hone.owner.key, raw }), 400, why)
    }
  })

  test('of lines that is not said to be one is told how to say so', async () => {
    const path = '/api/loop/import?source=f'
    const line = JSON.stringify(row)
    for (const [raw, why] of [
      [`${line}\n${line}\n`, /application\/x-ndjson/],
      [`\ufeff${line}\r\n${line}`, /application\/x-ndjson/],
      [`{"prompt":\n"a"\n`, /^The body is not valid JSON\.$/],
      [`[${line}\n${line}]`, /^The body is not valid JSON\.$/],
    ] as const) {
      refusedWith(await hone.call('POST', path, { key: hone.owner.key, raw }), 400, why)
    }
  })

  test('of lines is read however it is cut', async () => {
    const rows = [...manyRows(20), { prompt: 'Grüße, 𝒳!', completion: '→ ä' }]
    const bytes = Buffer.from(rows.map((one) => JSON.stringify(one)).join('\n'))
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const result = await sendChunks(bytes, size)
      assert.equal(result.imported, rows.length)
      const stored = await storedRows(hone, result.import_id)
      assert.deepEqual(stored.at(-1)?.conversation.answer, [{ type: 'text', text: '→ ä' }])
    }
  })

  test('that ends too early stores nothing', async () => {
    const before = await countSamples()
    const line = JSON.stringify(row)
    await new Promise<void>((resolve, reject) => {
      const { hostname, port } = new URL(hone.url)
      const socket = connect(Number(port), hostname, () => {
        const type = 'content-type: application/x-ndjson'
        socket.write(head(`${type}\r\ncontent-length: 1000`))
        socket.write(`${line}\n${line}\n`, () => socket.destroy())
      })
      socket.on('error', reject).on('close', () => resolve())
    })
    assert.equal((await imported(hone, { rows: [row] })).imported, 1, 'and others are served')
    assert.equal(await countSamples(), before + 1)
  })

  test('that finds no room is told to come back, and finds it later', async () => {
    // Long lines of nothing: a body of that size in short ones keeps its reader busy for long.
    const line = `${' '.repeat(4095)}\n`
    const blank = new Uint8Array(Buffer.alloc(50 * 1024 * 1024, line))
    const held = request(`${hone.url}/api/loop/import?source=f`, {
      method: 'POST',
      headers: { 'x-api-key': hone.owner.key, 'content-type': 'application/x-ndjson' },
    })
    const answered = new Promise<number>((resolve, reject) => {
      held.on('error', reject).on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    await new Promise((resolve) => held.write(blank, resolve))
    const answer = await postLines(hone, blank)
    refusedWith(answer, 503, /as many imports as it can/)
    assert.equal(answer.headers.get('retry-after'), '2')
    held.end(JSON.stringify(row))
    assert.equal(await answered, 200)
    refusedWith(await postLines(hone, blank), 400, /no rows/)
  })

  test('that is nested too deep or holds too much is refused', async () => {
    const send = (raw: string): Promise<Answer> =>
      hone.call('POST', '/api/loop/import', { key: hone.owner.key, raw })
    const deep = `{"source":"f","rows":[${'['.repeat(200)}${']'.repeat(200)}]}`
    refusedWith(await send(deep), 400, /nested deeper than 100/)
    const many = `{"source":"f","rows":[[${'0,'.repeat(2_000_001)}0]]}`
    refusedWith(await send(many), 400, /more than 2,000,000 values; send fewer rows at once/)
  })

  async function sendChunks(bytes: Buffer, size: number) {
    const { hostname, port } = new URL(hone.url)
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true })
      const send = async (): Promise<void> => {
        socket.write(head('content-type: application/x-ndjson\r\ntransfer-encoding: chunked'))
        for (let at = 0; at < bytes.length; at += size) {
          const part = bytes.subarray(at, at + size)
          socket.write(`${part.length.toString(16)}\r\n`)
          socket.write(part)
          socket.write('\r\n')
          if (at % 50 === 0) await new Promise(setImmediate)
        }
        socket.write('0\r\n\r\n')
      }
      socket.once('connect', () => void send())
      let all = ''
      socket.setEncoding('utf8').on('data', (part: string) => (all += part))
      socket.on('error', reject).on('close', () => resolve(all))
    })
    assert.match(text, /^HTTP\/1.1 200 /)
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Awaited<
      ReturnType<typeof imported>
    >
  }
})

describe('settings', () => {
  test('that nobody knows are refused by name, in body and query', async () => {
    refusedWith(await postImport(hone, { rows: [row], colour: 1 }), 400, /body: colour/)
    refusedWith(await postLines(hone, '{"prompt":"a"}', { colour: 'x' }), 400, /query: colour/)
    const both = await hone.call('POST', '/api/loop/import?source=f', {
      key: hone.owner.key,
      body: { source: 'f', rows: [row] },
    })
    refusedWith(both, 400, /query: source/)
  })

  test('need a source', async () => {
    refusedWith(await postImport(hone, { rows: [row], source: undefined }), 400, /\bsource\b/)
    refusedWith(await postImport(hone, { rows: [row], source: '' }), 400, /\bsource\b/)
    const answer = await hone.call('POST', '/api/loop/import', {
      key: hone.owner.key,
      headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
      raw: '{"prompt":"a"}',
    })
    refusedWith(answer, 400, /query field source/)
  })

  test('take good as default feedback and nothing else', async () => {
    for (const default_feedback of ['bad', 'rejected', 'edited', true, 1]) {
      const answer = await postImport(hone, { rows: [row], default_feedback })
      refusedWith(answer, 400, /default_feedback/)
    }
  })
})

describe('labels', () => {
  test('are the tags of what is stored, each once', async () => {
    const labels = ['mail', 'x'.repeat(63), '0', 'a.b_c-d', 'mail']
    const result = await imported(hone, { rows: [row], labels, source: 'Zendesk 2024' })
    const [stored] = await storedRows(hone, result.import_id)
    assert.deepEqual(stored?.tags, ['mail', 'x'.repeat(63), '0', 'a.b_c-d'])
    assert.equal(stored?.source, 'Zendesk 2024')
    const lines = await postLines(hone, JSON.stringify(row), { labels: 'a,b' })
    const [ofLines] = await storedRows(hone, served(lines).import_id)
    assert.deepEqual(ofLines?.tags, ['a', 'b'])
    assert.deepEqual(
      (await storedRows(hone, (await imported(hone, { rows: [row] })).import_id))[0]?.tags,
      [],
    )
  })

  test('that cannot be tags are refused by name', async () => {
    const before = await countSamples()
    for (const label of ['Mail', 'a b', '', 'ä', 'x'.repeat(64), 'a,b', 'a\0']) {
      const answer = await postImport(hone, { rows: [row], labels: ['fine', label] })
      refusedWith(answer, 400, /labels/)
      assert.ok(message(answer).includes(JSON.stringify(label)), answer.text)
    }
    refusedWith(await postLines(hone, '{"prompt":"a"}', { labels: 'a,B' }), 400, /"B"/)
    assert.equal(await countSamples(), before)
  })

  test('are at most 32', async () => {
    const labels = Array.from({ length: 33 }, (_, index) => `tag-${index}`)
    const result = await imported(hone, { rows: [row], labels: labels.slice(0, 32) })
    assert.equal((await storedRows(hone, result.import_id))[0]?.tags.length, 32)
    refusedWith(
      await postImport(hone, { rows: [row], labels }),
      400,
      /labels: must have at most 32/,
    )
    // One that is said twice is one.
    const twice = [...labels.slice(0, 32), 'tag-0']
    const again = await imported(hone, { rows: [row], labels: twice })
    assert.equal((await storedRows(hone, again.import_id))[0]?.tags.length, 32)
  })
})

describe('into a pipeline', () => {
  const send = (id: string, body: object): Promise<Answer> =>
    hone.call('POST', `/api/loop/pipelines/${id}/import`, {
      key: hone.owner.key,
      body: { rows: [row], ...body },
    })

  test('the tag of the pipeline is added and is the source', async () => {
    const id = await addPipeline(hone, workspaceId, 'support')
    const result = served(await send(id, { labels: ['mail'], source: 'ignored' }))
    const [stored] = await storedRows(hone, result.import_id)
    assert.deepEqual(stored?.tags, ['support', 'mail'])
    assert.equal(stored?.source, 'support')
    const lines = await hone.call(
      'POST',
      `/api/loop/pipelines/${id}/import?default_feedback=good`,
      {
        key: hone.owner.key,
        headers: { 'content-type': 'application/x-ndjson' },
        raw: JSON.stringify(row),
      },
    )
    assert.equal(served(lines).reviewed, 1)
  })

  test('its tag counts among the 32', async () => {
    const id = await addPipeline(hone, workspaceId, 'counted')
    const labels = Array.from({ length: 32 }, (_, index) => `tag-${index}`)
    served(await send(id, { labels: labels.slice(0, 31) }))
    served(await send(id, { labels: [...labels.slice(0, 31), 'counted'] }))
    refusedWith(await send(id, { labels }), 400, /labels: a sample has at most 32 labels/)
  })

  test('of another workspace, deleted or absent is 404, and nothing is stored', async () => {
    const before = await countSamples()
    const foreign = await addPipeline(hone, stranger.workspaceId, 'theirs')
    const deleted = await addPipeline(hone, workspaceId, 'gone', new Date())
    const absent = await send('01900000-0000-7000-8000-000000000000', {})
    refusedWith(absent, 404, /no such pipeline/)
    for (const id of [foreign, deleted, 'no-id', '%00']) {
      assert.equal((await send(id, {})).text, absent.text)
    }
    assert.equal(await countSamples(), before)
  })

  test('is judged by its body first', async () => {
    const answer = await send('01900000-0000-7000-8000-000000000000', { labels: ['A'] })
    refusedWith(answer, 400, /"A"/)
  })
})
