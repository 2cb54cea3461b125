// Bodies made to hurt whoever reads them, and a client that sends one and reads the answer even when it is refused
// half way.
import { request } from 'node:http'
import { inferenceBodyBytesMax } from '#contract/limits.ts'

const list = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join()}]`
const object = (count: number, key: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `"${key(index)}":1`).join()}}`
const filled = (piece: string): string =>
  piece.repeat(Math.floor(inferenceBodyBytesMax / piece.length))

/** Each is refused with 400. */
export const hostileBodies: Record<string, () => string> = {
  '32 MiB of [],': () => filled('[],'),
  '32 MiB of {}': () => filled('{},'),
  'a depth of 1,000': () => '['.repeat(1e3) + ']'.repeat(1e3),
  'a depth of 10,000': () => '{"a":'.repeat(1e4) + '1' + '}'.repeat(1e4),
  'a depth of 100,000': () => '['.repeat(1e5) + ']'.repeat(1e5),
  'a depth of a million': () => '{"a":['.repeat(5e5),
  'a depth of ten million': () => '['.repeat(1e7),
  'a million keys': () => object(1e6, (index) => `key${index}`),
  'a million integer keys': () => object(1e6, (index) => String(4_294_967_294 - index * 4000)),
  'keys whose numbers collide': () => object(1e5, (index) => String(index * 2 ** 24)),
  'sparse integer keys': () => list(1e5, (index) => `{"${1000 + index}":1}`),
  '32 MiB of escapes': () => `"${filled('\\u0041').slice(8)}"`,
  '32 MiB of newlines escaped': () => `"${filled('\\n').slice(4)}"`,
  'a number of 32 MiB': () => filled('1'),
  '32 MiB of white space': () => filled(' '),
}

/** The slowest shapes that pass, each close to a limit. */
export const passingBodies: Record<string, () => string> = {
  'one text of 32 MiB': () => `"${'a'.repeat(inferenceBodyBytesMax - 2)}"`,
  'one wide text of 32 MiB': () => `"漢${'a'.repeat(inferenceBodyBytesMax - 5)}"`,
  '32 MiB of emoji': () => `"${'😀'.repeat(inferenceBodyBytesMax / 4 - 1)}"`,
  '100,000 short texts': () => list(99_999, (index) => `"z${index.toString(36)}"`),
  '100,000 texts of 300 bytes': () => list(99_999, (index) => `"${'a'.repeat(300)}${index}"`),
  '100,000 digits as texts': () => list(99_999, (index) => `"${1_000_000 + index * 64}"`),
  '9,900 shapes': () => list(9900, (index) => `{"key${index}":1}`),
  '9,900 keys in one object': () => object(9900, (index) => `key${index}`),
  'a megabyte of keys': () => object(9900, (index) => `${'k'.repeat(96)}${index}`),
  '2 MiB of numbers hard to round': () =>
    list(31_000, () => '2.22507385850720113605740979670913197593481954635164564802342e-308'),
  '2 million escapes and 28 MiB of text': () =>
    `"${'\\n'.repeat(1_999_999)}${'a'.repeat(28 << 20)}"`,
  'depth 100, a thousand times': () => list(1000, () => '['.repeat(98) + '1' + ']'.repeat(98)),
  'something of everything': () =>
    `[${list(8000, (index) => `{"key${index}":"z${index}"}`)},${list(16_000, () => '2.2250738585072011360574097967091e-308')},` +
    `${list(60_000, (index) => `"y${index.toString(36)}"`)},"${'\\n'.repeat(1_900_000)}漢${'a'.repeat(26 << 20)}"]`,
}

export type Answered = { status: number; text: string }

/** Resolves with the answer, or with status 0 and the error when none came. */
export function sendBody(
  url: string,
  key: string,
  body: string | Buffer,
  { chunked }: { chunked: boolean },
): Promise<Answered> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      // Said, because a body that is given as a whole would be sent with its length.
      ...(chunked
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request(url, { method: 'POST', agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', (error) => resolve({ status: 0, text: error.message }))
    })
    sent.on('error', (error) => resolve({ status: 0, text: error.message }))
    sent.end(body)
  })
}
