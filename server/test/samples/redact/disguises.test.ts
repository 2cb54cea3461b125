// Characters that are written to be misread, and characters that are written with others: each means what it looks like.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldCharacter, foldPair, unseen } from '#server/samples/redact/fold-character.ts'
import {
  codesBehind,
  readBackslash,
  readDisguise,
  readEntity,
  readPercent,
} from '#server/samples/redact/read-escape.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'

const codesOf = (text: string): Uint16Array => {
  const codes = new Uint16Array(text.length + codesBehind)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}
const card = '4111111111111111'
const marker = '[redacted:card]'

test('the digits of every script are digits', () => {
  let scripts = 0
  for (let zero = 128; zero < 0xd800; zero++) {
    const isZero =
      /\p{Nd}/u.test(String.fromCharCode(zero)) && !/\p{Nd}/u.test(String.fromCharCode(zero - 1))
    if (!isZero && !/[\u1a90\u1c50\ua9f0]/.test(String.fromCharCode(zero))) continue
    scripts++
    const written = card.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)))
    assert.equal(redactText(`use ${written} now`).text, `use ${marker} now`, zero.toString(16))
    for (let digit = 0; digit < 10; digit++) assert.equal(foldCharacter(zero + digit), 48 + digit)
  }
  assert.ok(scripts >= 35, String(scripts))
  for (const first of [0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1fbf0]) {
    const written = card.replace(/\d/g, (digit) => String.fromCodePoint(first + Number(digit)))
    assert.equal(redactText(`use ${written} now`).text, `use ${marker} now`, first.toString(16))
  }
})

test('what cannot be seen is as if it were not there', () => {
  for (let code = 0; code < 0xfff0; code++) {
    const character = String.fromCharCode(code)
    if (!/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
    assert.equal(foldCharacter(code), unseen, code.toString(16))
    const text = `use 41${character}11111111${character}111111 now`
    assert.equal(redactText(text).text, `use ${marker} now`, code.toString(16))
  }
  const ranges =
    '0-8 b-b e-1f 7f-84 86-9f ad-ad 300-36f 61c-61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f ' +
    '20d0-20ff 3164-3164 fe00-fe0f fe20-fe2f feff-feff ffa0-ffa0 fff9-fffb'
  const isUnseen = new Set<number>()
  for (const range of ranges.split(' ')) {
    const [from, to] = range.split('-').map((code) => parseInt(code, 16)) as [number, number]
    for (let code = from; code <= to; code++) isUnseen.add(code)
  }
  for (let code = 0; code < 0xfffc; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    assert.equal(foldCharacter(code) === unseen, isUnseen.has(code), code.toString(16))
  }
  // Tags, which no font shows.
  assert.equal(foldPair(0xdb40, 0xdc41), unseen)
})

test('letters and signs that look alike are the same', () => {
  for (const [from, to] of [
    ['аеорсухіѕјԁԛԝһӏкмтв', 'aeopcyxisjdqwhlkmtb'],
    ['АВЕКМНОРСТХУІЅЈԌ', 'ABEKMHOPCTXYISJG'],
    ['οανικρτυχ', 'oavikptux'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['ıİɡɑ', 'iIga'],
    ['。·‧∙⋅•۔．․', '.........'],
    ['‐‑‒–—―−⁃﹘－﹣', '-----------'],
    ['∶ː꞉׃：', ':::::'],
    ['\u1680\u2028\u2029\u2800\u0085\u00a0\u2003\u3000', ' \n\n \n   '],
    ['‘’“”«»', '\'\'""""'],
    ['⁄∕／', '///'],
    ['ａＺ＠＿', 'aZ@_'],
  ] as const) {
    assert.equal(from.length, to.length)
    for (let at = 0; at < from.length; at++) {
      assert.equal(String.fromCharCode(foldCharacter(from.charCodeAt(at))), to[at], from[at])
    }
  }
  for (const code of [0xfffc, 0xfffd, 0xfffe, 0xffff]) assert.equal(foldCharacter(code), 0xfffc)
  for (const [text, letter] of [
    ['𝐀', 'A'],
    ['𝒛', 'z'],
    ['🄰', 'A'],
    ['🯷', '7'],
  ] as const) {
    assert.equal(foldPair(text.charCodeAt(0), text.charCodeAt(1)), letter.charCodeAt(0))
  }
  for (const text of ['😀', '𐀀', '🄀']) {
    assert.equal(foldPair(text.charCodeAt(0), text.charCodeAt(1)), null)
  }
})

test('names and numbers of characters in HTML', () => {
  const names: Record<string, string> = {
    amp: '&',
    apos: "'",
    bsol: '\\',
    colon: ':',
    commat: '@',
    dash: '-',
    equals: '=',
    gt: '>',
    hyphen: '-',
    lowbar: '_',
    lt: '<',
    nbsp: ' ',
    newline: '\n',
    num: '#',
    period: '.',
    plus: '+',
    quot: '"',
    semi: ';',
    shy: '\u00ad',
    sol: '/',
    tab: '\t',
    zwj: '\u200d',
    zwnj: '\u200c',
  }
  for (const [name, meant] of Object.entries(names)) {
    for (const written of [`&${name};`, `&${name.toUpperCase()};`]) {
      const read = { code: meant.charCodeAt(0), end: written.length }
      assert.deepEqual(readEntity(codesOf(`${written}x`), 0), read, written)
    }
    assert.equal(readEntity(codesOf(`&${name}x;`), 0), null)
    assert.equal(readEntity(codesOf(`&${name} `), 0), null)
  }
  for (const [written, code] of [
    ['&#64;', 64],
    ['&#064;', 64],
    ['&#x40;', 64],
    ['&#X4a;', 0x4a],
    ['&#x4A;', 0x4a],
    ['&#55295;', 0xd7ff],
    ['&#xE000;', 0xe000],
    ['&#xffff;', 0xffff],
    ['&#1;', 1],
  ] as const) {
    assert.deepEqual(readEntity(codesOf(written), 0), { code, end: written.length })
  }
  for (const written of [
    '&#0;',
    '&#55296;',
    '&#xdfff;',
    '&#x10000;',
    '&#;',
    '&#x;',
    '&#6g;',
    '&#xg;',
    '&#64',
    '&#00000000064;',
    '&a;',
  ]) {
    assert.equal(readEntity(codesOf(written), 0), null, written)
  }
})

test('percents and backslashes', () => {
  for (const [written, code] of [
    ['%40', 64],
    ['%2540', 64],
    ['%2F', 47],
    ['%2f', 47],
    ['%20', 32],
    ['%7e', 126],
    ['%0A', 10],
  ] as const) {
    assert.deepEqual(readPercent(codesOf(`${written}x`), 0), { code, end: written.length })
  }
  assert.deepEqual(readPercent(codesOf('%25zz'), 0), { code: 37, end: 3 })
  for (const written of ['%', '%4', '%4g', '%g4', '%7f', '%1f', '%09', '%80']) {
    assert.equal(readPercent(codesOf(written), 0), null, written)
  }
  for (const [written, code] of [
    ['\\n', 10],
    ['\\r', 10],
    ['\\t', 32],
    ['\\"', 34],
    ['\\/', 47],
    ['\\\\\\"', 34],
    ['\\u0040', 64],
    ['\\u00E9', 0xe9],
    ['\\ue000', 0xe000],
    ['\\ud7ff', 0xd7ff],
    ['\\x40', 64],
  ] as const) {
    assert.deepEqual(readBackslash(codesOf(written), 0), { code, end: written.length }, written)
  }
  for (const written of ['\\a', '\\ud800', '\\udfff', '\\u004', '\\x4', '\\x7f', '\\x1f']) {
    assert.deepEqual(readBackslash(codesOf(written), 0), { code: 92, end: 1 }, written)
  }
})

test('`[at]` and its like, with two spaces around it at most', () => {
  for (const [written, meant] of [
    ['[at]', '@'],
    ['(at)', '@'],
    ['{AT}', '@'],
    ['[@]', '@'],
    ['[dot]', '.'],
    ['(DOT)', '.'],
    ['[.]', '.'],
    ['{.}', '.'],
    ['[:]', ':'],
  ] as const) {
    for (const spaces of [0, 1, 2, 3]) {
      assert.deepEqual(readDisguise(codesOf(`${written}${' '.repeat(spaces)}x`), 0), {
        code: meant.charCodeAt(0),
        end: written.length + Math.min(spaces, 2),
        joins: true,
      })
    }
  }
  for (const written of ['[at)', '(at]', '{at]', '[att]', '[a]', '[', '[at']) {
    assert.equal(readDisguise(codesOf(written), 0), null, written)
  }
  for (const around of ['', ' ', '  ']) {
    const text = `to bob${around}[at]${around}example${around}(dot)${around}com now`
    assert.equal(redactText(text).text, 'to [redacted:email] now')
  }
  const far = 'to bob   [at]   example.com now'
  assert.equal(redactText(far).text, far)
})

test('what is escaped may be a disguise too', () => {
  for (const written of [
    '4111&#8203;111111111111',
    '4111\\u200b111111111111',
    '&#xff14;111111111111111',
  ]) {
    assert.equal(redactText(`use ${written} now`).text, `use ${marker} now`)
  }
})
