// Halves of characters, which a body can spell and no model server can read: each becomes one sign, and the rest stays as it is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { readObject } from '#server/dialect/read-fields.ts'
import { spelledWhole } from '#server/dialect/whole-characters.ts'
import { type ChaosHone, chaosHone, dig, dialects } from '#test/support/chaos-hone.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

for (const dialect of dialects) {
  for (const model of ['scripted', 'anthropic/scripted']) {
    test(`${dialect}, ${model}: a text that was cut in the middle of an emoji is answered`, async () => {
      const seen = rig.upstream.calls.length
      rig.upstream.script = { text: ['Hello'] }
      const text = String.raw`"cut \ud83d, whole \ud83d\ude00 and 😀, said \\ud83d"`
      const raw = `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":${text}}]}`
      const answer = await rig.post(dialect, {}, { raw })
      assert.equal(answer.status, 200, answer.text)
      const content = dig(rig.upstream.calls[seen]?.body, 'messages.0.content')
      const sent = model === 'scripted' ? content : dig(content, '0.text')
      assert.equal(sent, 'cut \ufffd, whole \u{1f600} and \u{1f600}, said \\ud83d')
    })
  }
}

for (const model of ['scripted', 'anthropic/scripted']) {
  test(`${model}: halves inside of the arguments of a call that is passed back`, async () => {
    rig.upstream.script = { text: ['Hello'] }
    const args = String.raw`{"a":"cut \ud83d, whole \ud83d\ude00, said \\ud83d","b\uDE00":12345678901234567891}`
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: args } }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ]
    const { body, text } = await rig.reached('chat', { model, messages })
    const sent =
      model === 'scripted'
        ? (JSON.parse(String(dig(body, 'messages.1.tool_calls.0.function.arguments'))) as unknown)
        : dig(body, 'messages.1.content.0.input')
    const a = 'cut \ufffd, whole \u{1f600}, said \\ud83d'
    assert.deepEqual(sent, { a, 'b\ufffd': Number('12345678901234567891') })
    assert.match(text, /12345678901234567891/, 'the rest stays as it was written')
  })
}

const spelled: [json: string, whole: string][] = [
  [String.raw`"\ud83d\ud83d\ude00\ude00"`, String.raw`"\ufffd\ud83d\ude00\ufffd"`],
  [String.raw`"\\ud83d \\\ud83d \\\\ud83d"`, String.raw`"\\ud83d \\\ufffd \\\\ud83d"`],
  [String.raw`"\ud83", "\ud83d\"`, String.raw`"\ud83", "\ufffd\"`],
  [String.raw`"\ud7ff\ue000\n\u0041"`, String.raw`"\ud7ff\ue000\n\u0041"`],
]

for (const [json, whole] of spelled) {
  test(`${json} is spelled with whole characters`, () => {
    assert.equal(spelledWhole(json), whole)
  })
}

const bodies: [text: string, read: unknown][] = [
  [String.raw`{"a":["\uDC00\ud800",{"b":"\udfff"}]}`, { a: ['\ufffd\ufffd', { b: '\ufffd' }] }],
  [String.raw`{"x\ud800":1,"y":null,"z":[false]}`, { y: null, z: [false], 'x\ufffd': 1 }],
  [String.raw`{"a":"\ud83d\ude00\ud83d"}`, { a: '\u{1f600}\ufffd' }],
  [String.raw`{"a":"\\ud800","b":"\ud7ff\ue000"}`, { a: '\\ud800', b: '\ud7ff\ue000' }],
]

for (const [text, read] of bodies) {
  test(`${text} is read with whole characters`, () => {
    assert.deepEqual(readObject(text), read)
  })
}

test('a field that is called as what every object has is mended like any other', () => {
  const body = readObject(String.raw`{"__proto__":{"a":"\ud800"}}`)
  assert.equal(Object.getPrototypeOf(body), Object.prototype)
  assert.deepEqual(Object.entries(body), [['__proto__', { a: '\ufffd' }]])
})

test('any JSON means the same with whole characters, but for its halves', () => {
  const pieces = [
    '\\',
    'u',
    'd83d',
    'D800',
    'dE00',
    'udfff',
    '\\ud83d',
    '\\ude00',
    '\\\\',
    'n',
    '0',
    'x',
    'é',
    '"',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces)), (list) => {
      const json = `"${list.join('')}"`
      const meant = parsed(json)
      if (meant === undefined) return
      assert.equal(parsed(spelledWhole(json)), meant.toWellFormed())
      assert.equal(spelledWhole(json).length, json.length)
    }),
    { numRuns: 2_000 },
  )
})

function parsed(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}
