// The upstream of the gateway benchmark: answers at once, with a text of the size that the model's name asks for.
import { createServer } from 'node:http'

const chunks = 50

function usage(): object {
  return { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 }
}

function chunk(delta: object, finish: string | null = null, extra: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'stub', choices, ...extra })}\n\n`
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as { model: string; stream?: boolean }
    const size = Number(/\d+/.exec(body.model)?.[0] ?? 1) * 1024
    const text = 'x'.repeat(size)
    if (!body.stream) {
      const message = { role: 'assistant', content: text }
      const answer = JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'stub',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: usage(),
      })
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      })
      return response.end(answer)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const pieces = body.model.startsWith('stream') ? chunks : 1
    const piece = 'x'.repeat(Math.ceil(size / pieces))
    response.write(chunk({ role: 'assistant', content: '' }))
    for (let i = 0; i < pieces; i++) response.write(chunk({ content: piece }))
    response.end(`${chunk({}, 'stop', { usage: usage() })}data: [DONE]\n\n`)
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'))
