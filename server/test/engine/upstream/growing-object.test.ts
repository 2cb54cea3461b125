// Arguments that come in fragments: whole exactly at the end of an object, however they are cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingObject } from '#server/engine/openai-compatible/growing-object.ts'

const objects = [
  '{}',
  '{"a":1}',
  ' {"a":[{"b":{}},[]],"c":null}',
  String.raw`{"a":"}{\"}\\"}`,
  String.raw`{"\\\"{":"["}`,
  String.raw`{"a":"\\","b":"\\\\"}`,
]

for (const json of objects) {
  test(`${json} is whole at its end and nowhere before`, () => {
    const object = new GrowingObject()
    for (const [at, character] of [...json].entries()) {
      object.add(character)
      assert.equal(object.isWhole, at === json.length - 1, json.slice(0, at + 1))
    }
    assert.equal(object.text, json)
    object.add(' \n')
    assert.equal(object.isWhole, true)
    object.add('x')
    assert.equal(object.isWhole, false)
    for (let cut = 0; cut <= json.length; cut++) {
      const inTwo = new GrowingObject()
      inTwo.add(json.slice(0, cut))
      assert.equal(inTwo.isWhole, cut === json.length)
      inTwo.add(json.slice(cut))
      assert.equal(inTwo.isWhole, true)
    }
  })
}

for (const json of ['', ' ', '[]', '[{}]', '1', '"{}"', '{oops}', '{"a":1}}', '}', '{"a":"']) {
  test(`${JSON.stringify(json)} is no whole object`, () => {
    const object = new GrowingObject()
    object.add(json)
    assert.equal(object.isWhole, false)
    assert.equal(object.isWhole, false)
  })
}
