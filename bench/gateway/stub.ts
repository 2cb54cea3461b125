// The upstream of the gateway benchmark: answers at once, with a text of the size that the model's name asks for. The text is
// something like prose, because one letter over and over costs nothing to store and nothing to index.
import { createServer } from 'node:http'

const chunks = 50

const words =
  `the of and to in is that it was for on are as with they at be this from have or by one had not but what all were
  when we there can your which their said if do will each about how up out them then many some so these would other into has more
  two like him see time could no make than first been its who now people made over did down only way find use may water long
  little very after words called just where most know`.split(/\s+/)

const proseLength = 256 * 1024
/** The same in every run. */
const prose = makeProse()

function makeProse(): string {
  let seed = 7
  let text = ''
  while (text.length < proseLength) {
    seed = (seed * 48_271) % 0x7fff_ffff
    text += words[seed % words.length] + (seed % 11 === 0 ? '. ' : ' ')
  }
  return text
}

let answers = 0

/** Each answer begins elsewhere, because what was said before costs little to index. */
function nextText(size: number): string {
  const start = (answers++ * 997) % (proseLength - size)
  return prose.slice(start, start + size)
}

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
    const text = nextText(size)
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
    const step = Math.ceil(size / pieces)
    response.write(chunk({ role: 'assistant', content: '' }))
    for (let at = 0; at < size; at += step) {
      response.write(chunk({ content: text.slice(at, at + step) }))
    }
    response.end(`${chunk({}, 'stop', { usage: usage() })}data: [DONE]\n\n`)
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'))
