// Makes the demo's calls as any client would, over HTTP alone, and shows each. What a refusal says ends the demo.
import { lineMax, type Printout } from './printout.ts'
import { shortBody } from './short-body.ts'
import { DemoFailure } from './stop-reasons.ts'

type Method = 'GET' | 'POST'

export type CallOptions<Answer> = {
  body?: object
  /** Beside those of the credential. */
  headers?: Record<string, string>
  /** What the reader is told of the answer; without it, the call is not shown. */
  tells?: (answer: Answer) => string
  /** A refusal that is wanted. */
  refusedWith?: number
}

export class Client {
  readonly url: string
  readonly #paper: Printout
  readonly #signal: AbortSignal
  #key: string | null = null

  constructor(url: string, paper: Printout, signal: AbortSignal) {
    this.url = url
    this.#paper = paper
    this.#signal = signal
  }

  /** From now on every call is made with it. */
  useKey(secret: string): void {
    this.#key = secret
  }

  async call<Answer>(
    method: Method,
    path: string,
    options: CallOptions<Answer> = {},
  ): Promise<Answer> {
    const { body, headers, tells, refusedWith } = options
    if (tells) this.#show(method, path, body, headers)
    const response = await this.#send(method, path, body, headers)
    const text = await response.text()
    const answer = parsed(text)
    if (refusedWith === undefined ? !response.ok : response.status !== refusedWith) {
      throw refusal(method, path, response.status, answer)
    }
    if (tells) this.#paper.paragraph(`  ${response.status} ${tells(answer as Answer)}`, 6)
    return answer as Answer
  }

  /** The events of a streamed answer as they come, shown as a call. */
  async *stream(path: string, body: object): AsyncGenerator<unknown> {
    this.#show('POST', path, body)
    const response = await this.#send('POST', path, body)
    if (!response.ok || !response.body) {
      throw refusal('POST', path, response.status, parsed(await response.text()))
    }
    let unread = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (unread + text).split('\n')
      unread = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('data: {')) yield JSON.parse(line.slice('data: '.length))
      }
    }
  }

  #show(method: Method, path: string, body?: object, headers: Record<string, string> = {}): void {
    const names = Object.keys(headers).map((name) => ` -H ${name}`)
    const call = `${method} ${path}${names.join('')}`
    const sent = body === undefined ? '' : shortBody(body)
    if (call.length + 1 + sent.length <= lineMax) return this.#paper.line(`${call} ${sent}`.trim())
    this.#paper.line(call)
    this.#paper.paragraph(`  ${sent}`, 2)
  }

  async #send(
    method: Method,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const request = {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...this.#credential(path),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: this.#signal,
    }
    return fetch(this.url + path, request).catch((error: Error) => {
      this.#signal.throwIfAborted()
      const { message } = error.cause instanceof Error ? error.cause : error
      throw new DemoFailure(`${method} ${path} got no answer (${message}).`)
    })
  }

  #credential(path: string): Record<string, string> {
    if (this.#key === null) return {}
    return path.startsWith('/v1/')
      ? { Authorization: `Bearer ${this.#key}` }
      : { 'X-API-Key': this.#key }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function refusal(method: Method, path: string, status: number, answer: unknown): DemoFailure {
  const { error } = answer as { error?: { code?: string | null; message?: string } }
  const why = error ? ` ${error.code ?? ''}: ${error.message ?? ''}` : ''
  return new DemoFailure(`${method} ${path} answered ${status}${why}`)
}
