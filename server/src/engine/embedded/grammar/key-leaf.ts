// The name of a property that a schema does not list: any string but the listed names. It has no escapes, as
// an escape could spell a listed name in disguise.
import { ascii } from './leaf.ts'
import type { Leaf } from './leaf.ts'
import { stringLeaf } from './string-leaf.ts'

const quote = ascii('"')
const backslash = ascii('\\')
const encoder = new TextEncoder()
let made = 0

export function keyLeaf(listed: string[]): Leaf {
  const set = `key${made++}`
  const names = listed.map((name) => [...encoder.encode(JSON.stringify(name))])
  return keyAt(set, names, 0, stringLeaf(1))
}

/** `names` are the listed ones that what was written could still become. */
function keyAt(set: string, names: number[][], written: number, inner: Leaf): Leaf {
  const isListed = names.some((name) => written === name.length - 1)
  return {
    // What can no longer become a listed name is the same wherever it is written.
    key: names.length
      ? `${set}.${names.length}.${written}.${names[0]!.join(' ')}`
      : `key.${inner.key}`,
    accepting: inner.accepting,
    spent: inner.accepting,
    minBytes: inner.minBytes + (isListed ? 1 : 0),
    next(byte) {
      if (byte === backslash || (byte === quote && isListed)) return null
      const next = inner.next(byte)
      return (
        next &&
        keyAt(
          set,
          names.filter((name) => name[written] === byte),
          written + 1,
          next,
        )
      )
    },
  }
}
