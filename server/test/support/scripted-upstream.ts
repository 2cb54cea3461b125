// A real HTTP server that speaks the OpenAI dialect and does what the model's name says. It logs what reached it
// and when its client left.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type UpstreamCall = { body: Record<string, unknown>; left: boolean; answered: boolean }

export type ScriptedUpstream = {
  baseUrl: string
  calls: UpstreamCall[]
  /** Lets the calls of model `gated` go on, now and later. */
  open(): void
  close(): Promise<void>
}

export const scriptedUsage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

export async function scriptedUpstream(): Promise<ScriptedUpstream> {
  const calls: UpstreamCall[] = []
  let openGate = (): void => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const server = createServer((request, response) => {
    // It has no list of models, so nobody learns from asking for it that a route is back.
    if (request.method !== 'POST') return void response.writeHead(404).end()
    void readJson(request).then(async (body) => {
      const call: UpstreamCall = { body, left: false, answered: false }
      calls.push(call)
      response.on('close', () => {
        if (!response.writableFinished) call.left = true
      })
      await behave(String(body.model), response, gate)
      call.answered = true
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    open: () => openGate(),
    close: () =>
      new Promise((resolve) => {
        openGate()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function behave(model: string, response: ServerResponse, gate: Promise<void>): Promise<void> {
  if (model === 'refuses') return void response.writeHead(500).end('internal secret text')
  if (model === 'gated') await gate
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ role: 'assistant', content: 'Hello' }))
  if (model === 'slow') {
    for (let i = 0; i < 40 && !response.destroyed; i++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      response.write(chunk({ content: ` ${i}` }))
    }
  }
  if (model === 'breaks') {
    // Later than the chunk above, so that the client has it.
    await new Promise((resolve) => setTimeout(resolve, 50))
    return void response.destroy()
  }
  if (model === 'hangs') return
  response.write(chunk({ content: ' world' }))
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: scriptedUsage }
  response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)
}

function chunk(delta: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}

/** A catalog whose models behave as their names say, at the given USD per 1M tokens. */
export function scriptedCatalog(baseUrl: string, pricing = { input: 1, output: 2 }): object {
  const models = ['plain', 'gated', 'slow', 'breaks', 'hangs', 'refuses']
  return {
    models: models.map((id) => ({
      id,
      context_window: 8192,
      max_output_tokens: 1000,
      routes: [{ engine: 'openai-compatible', base_url: baseUrl, pricing }],
    })),
  }
}
