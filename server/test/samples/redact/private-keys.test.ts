// Private keys are taken from their first line to their last, however they are written and wherever they are cut off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

const marker = '[redacted:private_key]'
const lines = [
  'Ul3nF3ZkYNRCQvjoySSsEnsGzwtjw/75POt4i84MJhTjN75ehVKjlX7f5yP8th5n',
  'RkwfF44uUVKX0RgQiQmXKGtQksSNYqkNWQql2UcUNxBR+yCrtjLmeRqWtuxv4f0U',
  'E4K5DEN8yV47KW1uzrGg9VnpKkuI5s3lC',
]
const last = 'q3Zg=='
const dashes = '-----'
const begin = `${dashes}BEGIN PRIVATE KEY${dashes}`
const end = `${dashes}END PRIVATE KEY${dashes}`
const written = (before = ''): string => [...lines, last].map((line) => before + line).join('\n')

function taken(text: string, expected: string): void {
  assert.equal(redactText(text).text, expected, text)
}

test('what stands before the lines of a key goes with it, whether its last line is there or not', () => {
  const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF\n\n'
  const rsa = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${headers}${written()}`
  taken(
    `A\n${rsa}\n${dashes}END RSA PRIVATE KEY${dashes}\nThat was it.`,
    `A\n${marker}\nThat was it.`,
  )
  taken(`A\n${rsa}\nThat was it.`, `A\n${marker}\nThat was it.`)
  const pgp = `${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\nVersion: 1\nComment: me\n\n${written()}`
  taken(`${pgp}\nThat was it.`, `${marker}\nThat was it.`)
  const ssh = `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "me"\n${written()}`
  taken(`${ssh}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nThat was it.`, `${marker}\nThat was it.`)
  taken(`${ssh}\nThat was it.`, `${marker}\nThat was it.`)
})

test('a key may be set in, as far as one likes, with or without its last line', () => {
  for (const gap of [' ', '\t', '        ', ' '.repeat(31), ' '.repeat(32), ' '.repeat(100)]) {
    for (const text of [
      `${begin}\n${written(gap)}`,
      `${begin}\n${written(gap)}\n${gap}${end}`,
      `${begin}\r\n\r\n${written(gap).replaceAll('\n', '\r\n')}`,
    ]) {
      taken(`key: |\n${gap}${text}\nThat was it.`, `key: |\n${gap}${marker}\nThat was it.`)
    }
    taken(`It ended in\n${written(gap)}\n${gap}${end}.`, `It ended in\n${gap}${marker}.`)
  }
})

test('of a key that is cut off anywhere no line is left', () => {
  const whole = `${begin}\n${written()}\n${end}`
  for (let cut = whole.indexOf(lines[0]!) + 16; cut <= whole.length; cut++) {
    const { text } = redactText(`${whole.slice(0, cut)}\n`)
    assert.ok(text.startsWith(marker), text)
    for (const line of lines) assert.ok(!text.includes(line.slice(0, 16)), text)
  }
  for (let cut = 0; cut < whole.indexOf(lines[2]!); cut++) {
    const { text } = redactText(`\n${whole.slice(cut)}`)
    assert.ok(text.endsWith(marker), text)
    for (const line of lines) assert.ok(!text.includes(line.slice(-16)), text)
  }
  // The last line says nothing of a private key.
  const odd = redactText(`${begin}\n${written()}\n${dashes}END KEY${dashes}`).text
  assert.ok(odd.startsWith(marker) && !odd.includes(last), odd)
  // Short as the last one is, it goes with the rest.
  taken(`${begin}\n${written()}\nThat was it.`, `${marker}\nThat was it.`)
  taken(`${last}\n${end}`, marker)
})

test('two keys are two, and what stands between and behind them stays', () => {
  const whole = `${begin}\n${written()}\n${end}`
  const certificate = `${dashes}BEGIN CERTIFICATE${dashes}\n${lines[0]}\n${dashes}END CERTIFICATE${dashes}`
  const { text, found } = redactText(`${whole}\n${certificate}\n${whole}\nantidisestablishment`)
  assert.equal(text, `${marker}\n${certificate}\n${marker}\nantidisestablishment`)
  assert.deepEqual(found, { private_key: 2 })
  taken(`${begin}\n${written()}\n${certificate}`, `${marker}\n${certificate}`)
})

test('talk about keys stays as it is', () => {
  for (const text of [
    `Wrap it in ${begin} and ${end} lines.`,
    `${begin}\nPut the lines of it in here, one below the other.\n${end}`,
    `${begin}\n${end}\n${lines[0]}`,
    'Encoded it begins with LS0tLS1CRUdJTiBQUklWQVRF.',
    `${lines[0]}\n${dashes}MY PRIVATE KEY${dashes}`,
    `${dashes}BEGIN PUBLIC KEY${dashes}\n${lines[0]}\n${dashes}END PUBLIC KEY${dashes}`,
    `${dashes}BEGIN RSA\nPRIVATE KEY${dashes}\n${lines[0]}`,
    `Lines: --BEGIN PRIVATE KEY--\n${lines[0]}`,
  ]) {
    taken(text, text)
  }
})

test('of a key of PuTTY the private lines are taken, and the public ones stay', () => {
  const before = `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\n${lines[0]}\n`
  const behind = '\nPrivate-MAC: 0a0b0c0d'
  for (const count of ['14', '10', '9', '190']) {
    const text = `${before}Private-Lines: ${count}\n${lines[1]}\n${lines[2]}\n${last}${behind}`
    taken(text, `${before}${marker}${behind}`)
  }
})

test('of a key that was encoded once more only its own line is taken', () => {
  const key = Buffer.from(`${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\n\n${written()}\n`)
  const encoded = key.toString('base64')
  taken(`a: ${encoded}\nantidisestablishmentarianism`, `a: ${marker}\nantidisestablishmentarianism`)
})
