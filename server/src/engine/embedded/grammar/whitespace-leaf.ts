// Optional space between the tokens of JSON, in the two styles that models write: all on one line with a blank
// after each colon and comma, or one member a line with an indent. It is bounded, because a model that is unsure
// can write blanks for ever.
import { ascii } from './leaf.ts'
import type { Leaf } from './leaf.ts'

const indentMax = 32

/** A number counts the blanks of an indent. */
type State = 'gap' | 'edge' | 'end' | number

function whitespace(state: State): Leaf {
  return {
    key: `whitespace.${state}`,
    accepting: true,
    minBytes: 0,
    spent: state === 'end' || state === indentMax,
    next(byte) {
      if (state === 'gap' && byte === ascii(' ')) return whitespace('end')
      if ((state === 'gap' || state === 'edge') && byte === ascii('\n')) return whitespace(0)
      if (typeof state !== 'number' || state === indentMax) return null
      return byte === ascii(' ') || byte === ascii('\t') ? whitespace(state + 1) : null
    },
  }
}

/** After a colon or a comma. */
export const gapLeaf: Leaf = whitespace('gap')

/** Inside a bracket, beside it: never a lone blank, which models that write it seldom mean. */
export const edgeLeaf: Leaf = whitespace('edge')
