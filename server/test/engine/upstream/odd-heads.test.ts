// What stands around an answer on its way: words before it that nobody asked for, a status of something created, and a coding
// that its server was not asked for.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { dialects, leastBody, paths } from '#test/support/chaos-hone.ts'
import { type Saying, type SayingUpstream, sayingUpstream } from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { type Wire, wireRecords, wireWhole } from '#test/support/wire-answer.ts'

const wires: Wire[] = ['openai', 'anthropic']
let upstream: SayingUpstream
let hone: TestHone

before(async () => {
  upstream = await sayingUpstream()
  hone = await testHone({
    tasks: [],
    catalog: {
      models: wires.map((wire) => ({
        id: wire,
        context_window: 32_768,
        max_output_tokens: 8192,
        routes: [
          {
            engine: `${wire}-compatible`,
            base_url: upstream.baseUrl,
            pricing: { input: 1, output: 2 },
            probe: 'none',
          },
        ],
      })),
    },
  })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

async function ask(wire: Wire, dialect: 'chat' | 'messages', stream: boolean): Promise<Answer> {
  const body = { ...leastBody, model: wire, stream }
  const answer = await hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
  await hone.quiet()
  return answer
}

function textFor(wire: Wire, streams: boolean): string {
  const said = { text: ['Hello', ' world'] }
  return streams ? wireRecords(wire, said).join('') : wireWhole(wire, said)
}

type Head = (response: ServerResponse) => void
const heads: Record<string, Head> = {
  'a word to go on': (response) => response.writeContinue(),
  'two words to go on': (response) => {
    response.writeContinue()
    response.writeContinue()
  },
  'a word to go on with a header of its own': ({ socket }) =>
    void socket?.write('HTTP/1.1 100 Continue\r\nx-proxy: one\r\n\r\n'),
  'early hints': (response) => response.writeEarlyHints({ link: '</a>; rel=preload' }),
  'a word to go on, then hints': (response) => {
    response.writeContinue()
    response.writeEarlyHints({ link: '</a>; rel=preload' })
  },
  'the status of something created': (response) => void (response.statusCode = 201),
  'the status of an answer that guardrails let pass': (response) =>
    void (response.statusCode = 246),
}

for (const [what, head] of Object.entries(heads)) {
  test(`an answer that comes with ${what} is an answer, and so is the next on its connection`, async () => {
    for (const wire of wires) {
      upstream.says[wire] = ({ response, call }) => {
        head(response)
        response.end(textFor(wire, call.body.stream === true))
      }
      for (const dialect of dialects) {
        for (const stream of [true, false]) {
          const answer = await ask(wire, dialect, stream)
          assert.equal(answer.status, 200, answer.text)
          assert.match(answer.text, / world/)
          assert.doesNotMatch(answer.text, /"error"/)
        }
      }
    }
  })
}

test('the word to go on may come long before the answer', async () => {
  let answerNow = (): void => {}
  upstream.says.openai = ({ response, call }) => {
    response.writeContinue()
    answerNow = () => void response.end(textFor('openai', call.body.stream === true))
  }
  const seen = upstream.calls.length
  const asked = ask('openai', 'chat', true)
  await until(() => upstream.calls.length > seen)
  answerNow()
  assert.match((await asked).text, / world/)
})

test('words of an answer that look like a head are words', async () => {
  const head = 'HTTP/1.1 100 Continue\r\n\r\n'
  upstream.says.openai = ({ response, call }) => {
    const said = { text: [head, 'HTTP/1.1 100'] }
    const streams = call.body.stream === true
    response.end(streams ? wireRecords('openai', said).join('') : wireWhole('openai', said))
  }
  const { json } = await ask('openai', 'chat', false)
  const { choices } = json as unknown as { choices: { message: { content: string } }[] }
  assert.equal(choices[0]?.message.content, `${head}HTTP/1.1 100`)
})

test('a server that compresses for all who do not object is told not to', async () => {
  const compressing =
    (wire: Wire): Saying =>
    ({ response, call }) => {
      const text = textFor(wire, call.body.stream === true)
      if (response.req.headers['accept-encoding'] === 'identity') return void response.end(text)
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(text))
    }
  for (const wire of wires) {
    upstream.says[wire] = compressing(wire)
    for (const stream of [true, false]) {
      const answer = await ask(wire, 'chat', stream)
      assert.equal(answer.status, 200, answer.text)
    }
  }
})
