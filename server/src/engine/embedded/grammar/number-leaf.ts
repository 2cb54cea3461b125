// A JSON number. Digits are bounded so that every number written is finite and a whole one is exact.
import { ascii, isDigit } from './leaf.ts'
import type { Leaf } from './leaf.ts'

const integerDigitsMax = 15
const fractionDigitsMax = 15
const exponentDigitsMax = 2

type Phase = 'start' | 'minus' | 'zero' | 'int' | 'dot' | 'fraction' | 'e' | 'sign' | 'exponent'

const complete = new Set<Phase>(['zero', 'int', 'fraction', 'exponent'])

export function numberLeaf(): Leaf {
  return number('start', 0)
}

export function integerLeaf(): Leaf {
  return integer(numberLeaf())
}

/** The same digits, without what makes a fraction or an exponent. */
function integer(inner: Leaf): Leaf {
  return {
    key: `integer.${inner.key}`,
    accepting: inner.accepting,
    minBytes: inner.minBytes,
    next(byte) {
      const next = isDigit(byte) || byte === ascii('-') ? inner.next(byte) : null
      return next && integer(next)
    },
  }
}

/** `digits` counts those written in this phase. */
function number(phase: Phase, digits: number): Leaf {
  const accepting = complete.has(phase)
  return {
    key: `number.${phase}.${digits}`,
    accepting,
    minBytes: accepting ? 0 : 1,
    next: (byte) => nextNumber(phase, digits, byte),
  }
}

function nextNumber(phase: Phase, digits: number, byte: number): Leaf | null {
  const more = (max: number, same: Phase) =>
    isDigit(byte) && digits < max ? number(same, digits + 1) : null
  switch (phase) {
    case 'start':
      if (byte === ascii('-')) return number('minus', 0)
      return firstDigit(byte)
    case 'minus':
      return firstDigit(byte)
    case 'zero':
      return afterInteger(byte)
    case 'int':
      return more(integerDigitsMax, 'int') ?? afterInteger(byte)
    case 'dot':
      return more(1, 'fraction')
    case 'fraction':
      return more(fractionDigitsMax, 'fraction') ?? exponentMark(byte)
    case 'e':
      if (byte === ascii('+') || byte === ascii('-')) return number('sign', 0)
      return more(1, 'exponent')
    case 'sign':
      return more(1, 'exponent')
    case 'exponent':
      return more(exponentDigitsMax, 'exponent')
  }
}

function firstDigit(byte: number): Leaf | null {
  if (byte === ascii('0')) return number('zero', 0)
  return isDigit(byte) ? number('int', 1) : null
}

function afterInteger(byte: number): Leaf | null {
  return byte === ascii('.') ? number('dot', 0) : exponentMark(byte)
}

function exponentMark(byte: number): Leaf | null {
  return byte === ascii('e') || byte === ascii('E') ? number('e', 0) : null
}
