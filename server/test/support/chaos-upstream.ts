// A real HTTP server that speaks both upstream dialects and misbehaves as the model's name says. It logs what reached
// it, and when its client left before the answer was whole.
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { loopTurns } from './loop-turns.ts'
import {
  chunk,
  event,
  type Wire,
  type WireAnswer,
  wireRecords,
  wireUsage,
  wireWhole,
} from './wire-answer.ts'

export type ChaosCall = {
  wire: Wire
  body: Record<string, unknown>
  /** What the body was read from. */
  text: string
  headers: IncomingHttpHeaders
  /** The client closed before the answer was whole. */
  left: boolean
  /** All of the answer was handed to the system. */
  ended: boolean
  /** Bytes of the answer handed to the socket so far. */
  sentBytes: number
  /** Number of the connection it came on. */
  connection: number
}

export type ChaosUpstream = {
  baseUrl: string
  port: number
  calls: ChaosCall[]
  /** What model `scripted` says: records of its own for each dialect, or an answer for both. */
  script: WireAnswer | Record<Wire, string[]>
  /** Statuses that model `statuses` answers with, first to last; then it is healthy. */
  statuses: number[]
  /** What it says when it is asked to count a prompt; null when it cannot. */
  counts: unknown
  /** Counts that it was asked for: path and body. */
  counted: { path: string; body: Record<string, unknown>; text: string }[]
  /** How many records of its answer model `stepped` has been told to send. */
  steps: number
  /** On every answer. */
  head: Record<string, string>
  /** Lets model `gated` go on. */
  open(): void
  close(): Promise<void>
}

type Exchange = {
  wire: Wire
  call: ChaosCall
  response: ServerResponse
  socket: Socket
  upstream: ChaosUpstream
  gate: Promise<void>
}

/** What an error body of the upstream holds and no client may ever see. */
export const upstreamSecret = 'sk-upstream-canary-5f1c'

const hello: WireAnswer = { text: ['Hello', ' world'] }
const thought: WireAnswer = { thinking: ['Let me', ' think.'], ...hello }
const weather = { id: 'call_1', name: 'weather', pieces: ['{"city":"Oslo"}'] }
const clock = { id: 'call_2', name: 'clock', pieces: ['{"zone":', '"UTC","exact":true}'] }
const longAnswerText = 'x'.repeat(16 * 1024)

const answers: Record<string, WireAnswer> = {
  ok: hello,
  reasoning: { ...thought, thinkingField: 'reasoning' },
  reasoning_content: thought,
  one_call: { calls: [weather] },
  two_calls: { text: ['Looking.'], calls: [weather, clock] },
  split_arguments: {
    calls: [
      { ...weather, pieces: ['{"ci', 'ty":"Os', 'lo","days":[1,', '2],"note":"a,\\"b}"', '}'] },
    ],
  },
  calls_then_stop: { calls: [weather], finish: 'stop' },
  call_without_arguments: { calls: [{ ...weather, pieces: [] }] },
  json: { text: ['{"answer":', '42}'] },
  length: { text: ['Hel'], finish: 'length' },
  filtered: { text: ['No'], finish: 'content_filter' },
  stop_string: { text: ['Hello'], stopString: 'END' },
  budget_eaten: { thinking: ['Hmm', ' hmm'], finish: 'length' },
  no_usage: { ...hello, usage: undefined },
  negative_usage: usage(-7, -3),
  usage_1e308: usage(1e308, 1e308),
  usage_string: usage('7', '3'),
  usage_fraction: usage(7.5, 3.25),
  usage_huge: usage(90_000_000, 90_000_000),
  usage_not_an_object: { ...hello, usage: 'seven' },
  injection: {
    text: ['\n\ndata: [DONE]\n\n', '\r\nevent: error\r\ndata: {}\r\n\r\n', '\u2028\u0000'],
  },
}

function usage(prompt: unknown, completion: unknown): WireAnswer {
  return {
    ...hello,
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      input_tokens: prompt,
      output_tokens: completion,
    },
  }
}

const behaviours: Record<string, (exchange: Exchange) => void | Promise<void>> = {
  hang_before_headers() {},
  hang_after_headers: ({ response }) => response.writeHead(200, eventStream).flushHeaders(),
  hang_mid_stream: (exchange) => begin(exchange),
  rst_before_headers: ({ socket }) => void socket.resetAndDestroy(),
  async rst(exchange) {
    begin(exchange)
    await flushed()
    exchange.socket.resetAndDestroy()
  },
  async fin_mid_chunk({ socket, wire }) {
    const text = firstRecords(wire)
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n')
    socket.write(`transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`)
    await flushed()
    socket.end('fff\r\ndata: {"cho')
  },
  half_frame(exchange) {
    begin(exchange)
    const records = wireRecords(exchange.wire, hello)
    exchange.response.end((records[2] ?? '').slice(0, 20))
  },
  half_json: (exchange) => breakWith(exchange, 'event: message_delta\ndata: {"choices":[{"de\n\n'),
  garbage_json: (exchange) => breakWith(exchange, 'event: nonsense\ndata: {"choices": [{]}\n\n'),
  not_an_object: (exchange) => breakWith(exchange, 'data: ["an", "array"]\n\n'),
  garbage_bytes({ response }) {
    response.writeHead(200, eventStream)
    response.end(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 197 + 13) % 256)))
  },
  html({ response }) {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<html><body>${upstreamSecret}</body></html>`)
  },
  empty: ({ response }) => void response.writeHead(200, eventStream).end(),
  content_length_too_long({ socket, wire }) {
    const text = firstRecords(wire)
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${text.length + 999}\r\n\r\n${text}`,
    )
  },
  content_length_too_short({ socket, wire }) {
    const text = wireRecords(wire, hello).join('')
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${firstRecords(wire).length + 5}\r\n\r\n${text}`,
    )
  },
  error_event(exchange) {
    begin(exchange)
    const error = { type: 'overloaded_error', message: `overloaded ${upstreamSecret}` }
    exchange.response.end(
      exchange.wire === 'openai'
        ? `data: ${JSON.stringify({ error })}\n\n`
        : event('error', { error }),
    )
  },
  error_event_first({ response, wire }) {
    const error = { type: 'overloaded_error', message: `overloaded ${upstreamSecret}` }
    response.writeHead(200, eventStream)
    response.end(
      wire === 'openai' ? `data: ${JSON.stringify({ error })}\n\n` : event('error', { error }),
    )
  },
  status_400: failWith(400),
  status_401: failWith(401),
  status_404: failWith(404),
  status_429: failWith(429),
  status_500: failWith(500),
  status_529: failWith(529),
  redirect({ response, upstream }) {
    response.writeHead(307, { location: `${upstream.baseUrl}/elsewhere` }).end()
  },
  gzip({ response, wire }) {
    response.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' })
    response.end(gzipSync(wireRecords(wire, hello).join('')))
  },
  async slow({ response, wire }) {
    response.writeHead(200, eventStream)
    for (const record of wireRecords(wire, hello)) {
      response.write(record)
      await flushed()
    }
    response.end()
  },
  async byte_by_byte({ response, wire }) {
    response.writeHead(200, eventStream)
    for (const byte of Buffer.from(wireRecords(wire, thought).join(''))) {
      response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  },
  crlf({ response, wire }) {
    const text = wireRecords(wire, hello).join(': a comment\n')
    response.writeHead(200, eventStream).end(text.replaceAll('\n', '\r\n'))
  },
  huge_line(exchange) {
    begin(exchange)
    const text = 'y'.repeat(1024 * 1024 + 1)
    exchange.response.end(
      exchange.wire === 'openai' ? chunk({ content: text }) : textDelta(0, text),
    )
  },
  endless: (exchange) => repeat(exchange, 'text'),
  endless_thinking: (exchange) => repeat(exchange, 'thinking'),
  async dup_done({ response, wire, call }) {
    const end = wire === 'openai' ? 'data: [DONE]\n\n' : event('message_stop')
    const junk = 'data: {"this is": "never read"\n\n'
    response.writeHead(200, eventStream)
    response.end(wireRecords(wire, hello).join('') + end + end + junk)
    call.left = false
  },
  no_done({ response, wire }) {
    const records = wireRecords(wire, hello)
    response.writeHead(200, eventStream).end(records.slice(0, -1).join(''))
  },
  no_finish({ response, wire }) {
    const records = wireRecords(wire, hello)
    const kept = records.filter((record) => !/"finish_reason":"stop"|message_delta/.test(record))
    response.writeHead(200, eventStream).end(kept.join(''))
  },
  invalid_utf8(exchange) {
    begin(exchange)
    const [before = '', after = ''] = (
      exchange.wire === 'openai' ? chunk({ content: '@' }) : textDelta(0, '@')
    ).split('@')
    exchange.response.write(Buffer.concat([Buffer.from(before), Buffer.of(0xc3, 0x28)]))
    exchange.response.end(after + wireRecords(exchange.wire, hello).slice(3).join(''))
  },
  calls_without_index({ response, wire }) {
    const [one, two] = ['call_1', 'call_2'].map((id, index) => ({
      id,
      type: 'function',
      function: { name: index === 0 ? 'weather' : 'clock', arguments: `{"n":${index}` },
    }))
    const rest = { function: { arguments: '}' } }
    const openai = [one, rest, two, rest].map((call) => chunk({ tool_calls: [call] }))
    const end = wireRecords('openai', { calls: [] }).slice(1)
    const calls = [
      { id: 'call_1', name: 'weather', pieces: ['{"n":0', '}'] },
      { id: 'call_2', name: 'clock', pieces: ['{"n":1', '}'] },
    ]
    const records = wire === 'openai' ? [...openai, ...end] : wireRecords(wire, { calls })
    response.writeHead(200, eventStream).end(records.join(''))
  },
  calls_with_odd_index({ response, wire }) {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const records =
      wire === 'openai'
        ? [
            chunk({ tool_calls: [{ ...call, index: 4_000_000_000 }] }),
            chunk({ tool_calls: [{ ...call, id: 'call_2', index: -1 }] }),
            ...wireRecords(wire, { calls: [] }).slice(1),
          ]
        : wireRecords(wire, {
            calls: ['call_1', 'call_2'].map((id) => ({ id, name: 'weather', pieces: ['{}'] })),
          })
    response.writeHead(200, eventStream).end(records.join(''))
  },
  scripted({ response, wire, upstream }) {
    const { script } = upstream
    const records = 'openai' in script ? script[wire] : wireRecords(wire, script)
    response.writeHead(200, eventStream).end(records.join(''))
  },
  async gated(exchange) {
    begin(exchange)
    await exchange.gate
    exchange.response.end(wireRecords(exchange.wire, hello).slice(2).join(''))
  },
  async gated_before_first({ response, wire, gate }) {
    response.writeHead(200, eventStream).flushHeaders()
    await gate
    response.end(wireRecords(wire, hello).join(''))
  },
  async stepped({ response, wire, upstream }) {
    response.writeHead(200, eventStream).flushHeaders()
    const records = wireRecords(wire, hello)
    for (let sent = 0; sent < records.length && !response.destroyed;) {
      if (upstream.steps > sent) response.write(records[sent++])
      else await new Promise((resolve) => setTimeout(resolve, 2))
    }
    response.end()
  },
  /** The end of the body comes later than the end of the answer. */
  async late_end({ response, wire }) {
    response.writeHead(200, eventStream).write(wireRecords(wire, hello).join(''))
    await flushed()
    response.end()
  },
  async never_ends({ response, wire }) {
    response.writeHead(200, eventStream).write(wireRecords(wire, hello).join(''))
    while (!response.destroyed) {
      response.write(`: ${longAnswerText}\n\n`)
      await flushed()
    }
  },
  whole_cut({ socket, wire }) {
    const text = wireWhole(wire, hello)
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, -5)}`,
    )
  },
  whole_garbage: ({ response }) => void wholeHead(response).end('{"choices": [{]}'),
  whole_invalid_utf8: ({ response }) => void wholeHead(response).end(Buffer.of(0x22, 0xff, 0x22)),
  whole_error: ({ response }) =>
    void wholeHead(response).end(`{"type":"error","error":{"message":"${upstreamSecret}"}}`),
  whole_huge({ response, wire }) {
    wholeHead(response).end(wireWhole(wire, { text: ['y'.repeat(1024 * 1024)] }))
  },
  statuses({ response, wire, upstream }) {
    const status = upstream.statuses.shift() ?? 200
    if (status !== 200) return void response.writeHead(status).end(upstreamSecret)
    response.writeHead(200, eventStream).end(wireRecords(wire, hello).join(''))
  },
}

/** Every mode, which is also the model name that picks it. */
export const chaosModes = [...Object.keys(answers), ...Object.keys(behaviours)]

const eventStream = { 'content-type': 'text/event-stream' }

function wholeHead(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/json' })
}

export async function chaosUpstream(): Promise<ChaosUpstream> {
  let openGate = (): void => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  let connections = 0
  const numbers = new WeakMap<Socket, number>()
  const server = createServer((request, response) => {
    const { socket } = request
    for (const [name, value] of Object.entries(upstream.head)) response.setHeader(name, value)
    void readJson(request).then(async ({ body, text }) => {
      const path = request.url ?? ''
      if (/count_tokens$|tokenize$/.test(path)) {
        upstream.counted.push({ path, body, text })
        if (upstream.counts === null) return void response.writeHead(404).end()
        return void response.end(JSON.stringify(upstream.counts))
      }
      const wire = request.url === '/v1/messages' ? 'anthropic' : 'openai'
      const connection = numbers.get(socket) ?? ++connections
      numbers.set(socket, connection)
      const { headers } = request
      const progress = { left: false, ended: false, sentBytes: 0 }
      const call: ChaosCall = { wire, body, text, headers, connection, ...progress }
      upstream.calls.push(call)
      response.on('finish', () => (call.ended = true))
      response.on('close', () => {
        if (!response.writableFinished) call.left = true
      })
      const model = String(body.model)
      const answer = answers[model]
      if (answer && body.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(wireWhole(wire, answer))
      }
      if (answer) {
        response.writeHead(200, eventStream).end(wireRecords(wire, answer).join(''))
        return
      }
      await behaviours[model]?.({ wire, call, response, socket, upstream, gate })
    })
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream: ChaosUpstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    calls: [],
    script: hello,
    statuses: [],
    counts: null,
    counted: [],
    steps: 0,
    head: {},
    open: () => openGate(),
    close: () =>
      new Promise((resolve) => {
        openGate()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return upstream
}

function begin({ response, wire }: Exchange): void {
  response.writeHead(200, eventStream)
  response.write(firstRecords(wire))
}

/** As far as the first word. */
function firstRecords(wire: Wire): string {
  return wireRecords(wire, hello)
    .slice(0, wire === 'openai' ? 2 : 3)
    .join('')
}

function textDelta(index: number, text: string): string {
  return event('content_block_delta', { index, delta: { type: 'text_delta', text } })
}

function breakWith(exchange: Exchange, garbage: string): void {
  begin(exchange)
  exchange.response.end(garbage + wireRecords(exchange.wire, hello).slice(3).join(''))
}

function failWith(status: number) {
  return ({ response, upstream }: Exchange): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' })
    response.end(JSON.stringify({ error: { message: `${upstreamSecret} at ${upstream.baseUrl}` } }))
  }
}

async function repeat({ response, wire, call }: Exchange, kind: 'text' | 'thinking') {
  const start = wireRecords(wire, { [kind]: [] })
  const record =
    wire === 'openai'
      ? chunk({ [kind === 'text' ? 'content' : 'reasoning_content']: longAnswerText })
      : event('content_block_delta', {
          index: 0,
          delta:
            kind === 'text'
              ? { type: 'text_delta', text: longAnswerText }
              : { type: 'thinking_delta', thinking: longAnswerText },
        })
  response.writeHead(200, eventStream)
  response.write(start.slice(0, wire === 'openai' ? 1 : 2).join(''))
  while (!response.destroyed) {
    call.sentBytes += record.length
    if (!response.write(record)) {
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          response.off('drain', goOn).off('close', goOn)
          resolve()
        }
        response.on('drain', goOn).on('close', goOn)
      })
    }
  }
}

/** Long enough for what was written to be read on the other side, so that it is the break which comes second. */
async function flushed(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  await loopTurns()
}

async function readJson(request: IncomingMessage): Promise<Pick<ChaosCall, 'body' | 'text'>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  try {
    return { body: JSON.parse(text) as Record<string, unknown>, text }
  } catch {
    return { body: {}, text }
  }
}

export type CatalogEntry = { id: string; routes?: object[]; [field: string]: unknown }

/** A catalog in which `<mode>` is served in the OpenAI dialect and `anthropic/<mode>` in the other; more by `extra`. */
export function chaosCatalog(upstream: ChaosUpstream, extra: CatalogEntry[] = []): object {
  const modes = chaosModes.flatMap((mode): CatalogEntry[] => [
    { id: mode, routes: [chaosRoute(upstream, 'openai', mode)] },
    { id: `anthropic/${mode}`, routes: [chaosRoute(upstream, 'anthropic', mode)] },
  ])
  return {
    models: [...modes, ...extra].map((model) => ({
      context_window: 32_768,
      max_output_tokens: 8192,
      supports_tools: true,
      supports_vision: true,
      image_urls: 'pass',
      routes: [chaosRoute(upstream, 'openai', 'ok')],
      ...model,
    })),
  }
}

export function chaosRoute(
  upstream: { baseUrl: string },
  wire: Wire,
  mode: string,
  more: object = {},
): object {
  return {
    engine: `${wire}-compatible`,
    base_url: upstream.baseUrl,
    model: mode,
    pricing: { input: 1, output: 2 },
    probe: 'none',
    ...(mode === 'hang_before_headers' ? { first_byte_seconds: 1 } : {}),
    ...more,
  }
}

export { wireUsage }
