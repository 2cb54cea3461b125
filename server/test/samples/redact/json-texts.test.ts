// Texts that are JSON, as the arguments of tool calls are, stay JSON in every way of writing it; what merely looks like it is
// read as any other text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'

const card = '4111' + '1111' + '1111' + '1111'

test('in every way of writing JSON a number that is sensitive becomes a string', () => {
  for (const text of [
    '{"card":#}',
    '[#]',
    '[[#]]',
    '{"a":true,"b":false,"c":null,"card":#}',
    '{"card":#,"a":[null,false,true]}',
    '\r\n\t {"a"\t:\r\n1 ,\n"card" :\t#\r}\t\r\n ',
    '\r[#]\r',
    '\t[ #\t]\n',
    '{"a":{},"b":[],"c":[{ }, [ ], {"d":{}} ],"card":#}',
    '[{},#]',
    '[[],{"card":#}]',
    '[[{"a":[1,{"b":2}]}],{"card":#},[[3]]]',
    '{"a":{"b":{"c":[]}},"card":#,"d":[{"e":{}}]}',
    '{"a":-0.5e+3,"b":1E-2,"c":0,"d":[10.25],"card":#}',
    '{"a\\"b":"\\\\ \\/ \\b\\f\\n\\r\\t and \\"c\\"","card":#}',
    '{"a":"Gr\\u00fc\\u00DFe, \\u0009\\uaBcF","card":#}',
    '{"a":"\\\\","b":"\\"","card":#}',
  ]) {
    const redacted = redactText(text.replace('#', card)).text
    assert.equal(redacted, text.replace('#', '"[redacted:card]"'))
    assert.doesNotThrow(() => JSON.parse(redacted), redacted)
  }
  assert.equal(
    redactText(JSON.stringify(`{"card":${card}}`)).text,
    JSON.stringify('{"card":"[redacted:card]"}'),
  )
})

test('what is no JSON is read as any other text, and stays as it is around its values', () => {
  for (const text of [
    '{"card":#,}',
    '{"card":#]',
    '[#}',
    '{"card":#}}',
    '[#]]',
    '{:#}',
    '{card":#}',
    '{"card":#;"a":1}',
    '{"card":#} {"a":1}',
    '{"card":# "a":"b"}',
    '{"a" #}',
    "{'card':#}",
    '{card:#}',
    '{"card":#,"a":tru}',
    '{"card":#,"a":"b}',
    '{"card":#,"a":"\\"}',
    '{"card":#,"a":-}',
    '{"a":"\\x","card":#}',
    '{"a":"\\~","card":#}',
    '{"a":"\\u12g4","card":#}',
    '{"a":"\\ug124 and more","card":#}',
    '{"a":"\\u00","card":#}',
    '{"a":"\\u123\u{fc}","card":#}',
    '{"a":"x\ny","card":#}',
    '{1:"a","card":#}',
    '[,#]',
    '{,"card":#}',
    '[#,]',
  ]) {
    assert.equal(
      redactText(text.replace('#', card)).text,
      text.replace('#', '[redacted:card]'),
      text,
    )
  }
})

test('a value that is spelled out in escapes of JSON is found, and its string is closed', () => {
  assert.equal(
    redactText('{"a":"by bob\\u0040example.com, \\u00e9"}').text,
    '{"a":"by [redacted:email], \u{e9}"}',
  )
  assert.equal(
    redactText(`["\\u0034${card.slice(1)}","\\"${card}\\""]`).text,
    '["[redacted:card]","\\"[redacted:card]\\""]',
  )
})

test('a value goes by the key around it, also behind an object or a list in the same list', () => {
  const number = '536221234'
  const rows: [text: string, isTaken: boolean][] = [
    ['{"ssns":[{"a":"b"},"#"]}', true],
    ['{"ssns":[["a",{"b":[]}],{},[],"#"]}', true],
    ['{"a":{"b":"c"},"ssn":"#"}', true],
    ['{"\\"ssn\\"":"#"}', true],
    ['{"a\\\\ssn":"#"}', true],
    ['{"orders":[{"ssn":"a"},"#"]}', false],
    ['{"order":{"ssn":"a"},"number":"#"}', false],
    ['[{"ssn":["a"]},"#"]', false],
    ['{"ssn":"a","order":["#"]}', false],
  ]
  for (const [text, isTaken] of rows) {
    assert.equal(
      redactText(text.replace('#', number)).text,
      text.replace('#', isTaken ? '[redacted:national_id]' : number),
    )
  }
})

test('a number is taken for a password from six digits on, as a string of them is', () => {
  for (const name of ['password', 'passcode', 'user_password']) {
    for (const number of ['827364', '8273645', '82736451', '827364518']) {
      const marked = `{"${name}":"[redacted:key]"}`
      assert.equal(redactText(`{"${name}":${number}}`).text, marked)
      assert.equal(redactText(`{"${name}":"${number}"}`).text, marked)
      assert.equal(JSON.stringify(redactJson({ [name]: Number(number) }).value), marked)
    }
  }
  for (const text of ['{"password":82736}', '{"order":827364}', '{"max_tokens":128000}']) {
    assert.equal(redactText(text).text, text)
    assert.equal(JSON.stringify(redactJson(JSON.parse(text)).value), text)
  }
})
