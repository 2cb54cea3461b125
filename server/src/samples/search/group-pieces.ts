// The texts of a segment in pieces of a few lines, each once: a call repeats the conversation so far, and many begin with the
// same instructions, so that most of what is indexed was in another text already. Pieces that the same documents hold are
// one group, which is indexed as if it were a document.
import { gramLength } from './gram.ts'

export type Piece = {
  /** With as much of what follows as the keys of its last places reach into; the end of a text has no more. */
  text: string
  /** How many of its places are its own. */
  places: number
}

/** Documents in rising order. */
export type Group = { docs: Uint16Array; pieces: Piece[] }

/** Turns of a conversation and lines end a piece; a shorter piece would cost more to tell apart than to index again. */
const pieceMin = 128
const pieceEnd = /[\x01-\x05\n]/g

/** The documents of a set that grew one by one: `doc` and all of `before`. */
type Docs = { before: Docs | null; doc: number; size: number }

type Shared = { piece: Piece; docs: Docs }

/** So that their numbers take two bytes. */
const groupsMaxDefault = 1 << 16

/**
 * First one for each document, with what only it holds, then all others. A document's number is its place among the
 * texts.
 */
export function groupPieces(texts: readonly string[], groupsMax = groupsMaxDefault): Group[] {
  const all = new Map<string, Shared>()
  texts.forEach((text, doc) => {
    /** What the sets of this document's pieces were before it. */
    const grown = new Map<Docs | null, Docs>()
    const withThis = (before: Docs | null): Docs => {
      const known = grown.get(before)
      if (known) return known
      const docs = { before, doc, size: (before?.size ?? 0) + 1 }
      grown.set(before, docs)
      return docs
    }
    for (const piece of piecesOf(text)) {
      const shared = all.get(piece.text)
      if (!shared) all.set(piece.text, { piece, docs: withThis(null) })
      else if (shared.docs.doc !== doc) shared.docs = withThis(shared.docs)
    }
  })
  const own = texts.map((_, doc): Group => ({ docs: Uint16Array.of(doc), pieces: [] }))
  return withShared(own, [...all.values()], groupsMax)
}

/** Pieces with the same text have the same places: where a piece ends can be told from its text. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (let end = endOf(text, start); end < text.length; end = endOf(text, start)) {
    pieces.push({ text: text.slice(start, end + gramLength - 1), places: end - start })
    start = end
  }
  const rest = text.slice(start)
  if (rest.length > 1) pieces.push({ text: rest, places: rest.length - 1 })
  return pieces
}

function endOf(text: string, start: number): number {
  pieceEnd.lastIndex = start + pieceMin
  return pieceEnd.test(text) ? pieceEnd.lastIndex : text.length
}

/** Where there are no more groups to be had, a piece is left with each of its documents. */
function withShared(own: readonly Group[], all: readonly Shared[], groupsMax: number): Group[] {
  const shared = new Map<Docs, Group>()
  for (const { piece, docs } of all) {
    const known = docs.before ? shared.get(docs) : own[docs.doc]
    if (known) {
      known.pieces.push(piece)
    } else if (own.length + shared.size < groupsMax) {
      shared.set(docs, { docs: listed(docs), pieces: [piece] })
    } else {
      for (const doc of listed(docs)) own[doc]?.pieces.push(piece)
    }
  }
  return [...own, ...shared.values()]
}

function listed(docs: Docs): Uint16Array {
  const list = new Uint16Array(docs.size)
  for (let at: Docs | null = docs; at; at = at.before) list[at.size - 1] = at.doc
  return list
}
