// Memory for texts that two threads see: what was written reads back as it was until it is freed, whatever comes and goes
// around it, and what finds no room is told so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextArena, textAt } from '#server/samples/capture/text-arena.ts'

const mebi = 1024 * 1024

test('texts read back from the shared memory as they were written', () => {
  const arena = new TextArena(1)
  const texts = ['', 'plain', 'é', '漢字 and 🎈', JSON.stringify('\ud800')]
  const places = texts.map((text) => arena.write(text))
  const other = Buffer.from(arena.memory)
  assert.deepEqual(
    places.map((place) => place && textAt(other, place)),
    texts,
  )
})

test('what finds no room is told so, and finds some once enough was freed', () => {
  const arena = new TextArena(2)
  const large = 'x'.repeat(300_000)
  assert.equal(arena.write('x'.repeat(mebi)), null)
  const places = []
  for (let place = arena.write(large); place !== null; place = arena.write(large)) {
    places.push(place)
  }
  assert.ok(places.length >= 2)
  for (const place of places) arena.free(place)
  assert.notEqual(arena.write(large), null)
})

test('nothing is written over what is still held, in any order of coming and going', () => {
  const arena = new TextArena(3)
  const held: { text: string; place: NonNullable<ReturnType<TextArena['write']>> }[] = []
  let seed = 7
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return seed % below
  }
  let written = 0
  for (let step = 0; step < 20_000; step++) {
    if (random(100) < 52) {
      const text = `${step}:`.padEnd(1 + random(9_000), 'ß')
      const place = arena.write(text)
      if (place !== null) held.push({ text, place })
      written += place === null ? 0 : text.length
    } else if (held.length > 0) {
      const [gone] = held.splice(random(held.length), 1)
      if (gone) {
        assert.equal(arena.read(gone.place), gone.text)
        arena.free(gone.place)
      }
    }
  }
  assert.ok(written > 20 * mebi)
  for (const { text, place } of held) assert.equal(arena.read(place), text)
})
