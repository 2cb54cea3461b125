// The format of an image is told by its first bytes, and by nothing less.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { imageMediaTypes } from '#server/core/block.ts'
import { imageTypeOf } from '#server/inference/image-type-of.ts'

const beginnings: [type: string, beginning: string][] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x24\x00\x00\x00WEBP'],
]

function typeOf(text: string): string | null {
  return imageTypeOf(Buffer.from(text, 'latin1'))
}

for (const [type, beginning] of beginnings) {
  test(`${JSON.stringify(beginning)} is ${type}, whatever follows`, () => {
    assert.equal(typeOf(beginning), type)
    assert.equal(typeOf(`${beginning}\x00\xff and more`), type)
  })

  test(`${JSON.stringify(beginning)} without its last byte, or behind another, is none`, () => {
    assert.equal(typeOf(beginning.slice(0, -1)), null)
    assert.equal(typeOf(` ${beginning}`), null)
  })
}

test('every media type that is taken can be told', () => {
  assert.deepEqual(
    [...new Set(beginnings.map(([type]) => type))].sort(),
    imageMediaTypes.toSorted(),
  )
})

describe('what is no image that models take', () => {
  for (const text of [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<!doctype html>',
    '%PDF-1.7',
    'BM\x46\x00\x00\x00',
    'II*\x00',
    '\x00\x00\x00\x20ftypavif',
    'GIF88a',
    'RIFF\x24\x00\x00\x00WAVE',
    'RIFFWEBP',
    '\x89PNG\n\x1a\n\x00',
  ]) {
    test(JSON.stringify(text), () => assert.equal(typeOf(text), null))
  }
})
