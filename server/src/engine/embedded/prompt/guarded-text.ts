// Keeps what callers wrote from being read as a mark of the template. Before rendering, each spelling of a
// mark inside a caller's text is swapped for a word nobody can guess; after rendering, whatever still spells
// a mark was written by the template, and the words are swapped back as plain text.
import { randomBytes } from 'node:crypto'

export type Piece = { text: string } | { mark: string }

export type GuardedText = {
  /** The same value with every string (and object key) in it guarded. */
  guard: <T>(value: T) => T
  /** Splits rendered text at the template's marks; `text` pieces read as the caller wrote them. */
  split(rendered: string): Piece[]
}

export function guardedText(marks: Iterable<string>): GuardedText {
  const spellings = [...marks].filter((mark) => mark !== '').sort((a, b) => b.length - a.length)
  const word = `q${randomBytes(16).toString('hex')}z`
  const anyMark = spellings.length ? new RegExp(spellings.map(escape).join('|'), 'g') : /(?!)/g
  const anyWord = new RegExp(`${word}(\\d+)q`, 'gi')
  const edge = `${word}${spellings.length}q`

  function guardString(text: string): string {
    let guarded = text.replace(anyMark, (mark) => `${word}${spellings.indexOf(mark)}q`)
    // Half a mark at an edge could be completed by the text that the template puts beside it.
    if (spellings.some((mark) => endsWithPartOf(text, mark))) guarded += edge
    if (spellings.some((mark) => startsWithPartOf(text, mark))) guarded = edge + guarded
    return guarded
  }

  function guard(value: unknown): unknown {
    if (typeof value === 'string') return guardString(value)
    if (Array.isArray(value)) return value.map(guard)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [guardString(key), guard(entry)]),
    )
  }

  return {
    guard: <T>(value: T) => guard(value) as T,
    split(rendered) {
      const pieces: Piece[] = []
      const restore = (text: string) =>
        text.replace(anyWord, (_, index: string) => spellings[Number(index)] ?? '')
      let from = 0
      for (const match of rendered.matchAll(anyMark)) {
        if (match.index > from) pieces.push({ text: restore(rendered.slice(from, match.index)) })
        pieces.push({ mark: match[0] })
        from = match.index + match[0].length
      }
      if (from < rendered.length) pieces.push({ text: restore(rendered.slice(from)) })
      return pieces
    },
  }
}

function endsWithPartOf(text: string, mark: string): boolean {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return true
  }
  return false
}

function startsWithPartOf(text: string, mark: string): boolean {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) {
    if (text.startsWith(mark.slice(-length))) return true
  }
  return false
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
