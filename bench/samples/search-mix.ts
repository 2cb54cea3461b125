// What people search for, kind by kind, drawn from the made-up conversations; some kinds are there only to be hard.
import { searchTextOf } from '#server/samples/sample/search-text.ts'
import { type Corpus, type Random, seeded } from './corpus.ts'

export type SearchQuery = {
  q?: string
  tags?: string[]
  feedback?: 'accepted' | 'any'
  origin?: 'imported'
  model?: string
  from?: string
  to?: string
  page: number
}
export type Kind = { name: string; queries: SearchQuery[] }

const perKind = 12

/** Kinds of search; every query is the same at every size. `smallest` samples exist at every size. */
export function searchMix(corpus: Corpus, smallest: number): Kind[] {
  const random = seeded(99)
  const text = (): string => searchTextOf(corpus.conversation(Math.floor(random() * smallest)))
  const word = (from: number, to: number): string =>
    corpus.words[from + Math.floor(random() * (to - from))] as string
  const common = (): string => word(30, 300)
  const rare = (): string => word(2000, 4000)
  const kind = (name: string, make: () => Omit<SearchQuery, 'page'>, page = 1): Kind => ({
    name,
    queries: Array.from({ length: perKind }, () => ({ page, ...make() })),
  })
  const pairs = 'th er in on re an ed st en or ti ng'.split(' ')
  const rarePairs = 'qz xj vq kx zx qj jx wq vz xq zj q7'.split(' ')
  const triples = 'the ing ion ent ord tion con and you pro dis ble'.split(' ')
  const rareTriples = 'qzx xjv zzz q7q jjj vvx wxy kkq mzx xqa ywv 7zz'.split(' ')
  const next = (list: string[]): (() => string) => {
    let at = 0
    return () => list[at++ % list.length] as string
  }
  const of = (make: () => string) => () => ({ q: make() })
  return [
    kind('two letters, common', of(next(pairs))),
    kind('two letters, rare or absent', of(next(rarePairs))),
    kind('three letters, common', of(next(triples))),
    kind('three letters, rare or absent', of(next(rareTriples))),
    kind('a common word', of(common)),
    kind('a rare word', of(rare)),
    kind(
      'part of a word',
      of(() => rare().slice(1, 6)),
    ),
    kind(
      'a ticket number',
      of(() => text().slice(0, 13)),
    ),
    kind(
      'three words as said',
      of(() => threeWords(text(), random)),
    ),
    kind(
      'two common words, seldom together',
      of(() => `${common()} ${common()}`),
    ),
    kind(
      'four common words, never together',
      of(() => `${common()} ${common()} ${common()} ${common()}`),
    ),
    kind(
      'five letters that no word has, of parts that many have',
      of(() => absentLetters(corpus, random, 5)),
    ),
    kind(
      'four letters that no word has, of parts that many have',
      of(() => absentLetters(corpus, random, 4)),
    ),
    kind(
      '200 characters as said',
      of(() => text().slice(100, 300)),
    ),
    kind(
      '200 characters, never said',
      of(() => text().slice(100, 200) + text().slice(300, 400)),
    ),
    kind('a common word, page 20', of(common), 20),
    kind('a common word under a common tag', () => ({ q: common(), tags: ['common'] })),
    kind('a common word under a rare tag', () => ({ q: common(), tags: ['rare'] })),
    kind('two letters under a rare tag', () => ({ q: next(pairs)(), tags: ['rare'] })),
    kind('a rare word with feedback', () => ({ q: rare(), feedback: 'any' })),
    kind('a common word, accepted and imported', () => ({
      q: common(),
      feedback: 'accepted',
      origin: 'imported',
    })),
    kind('a common word of a rare model', () => ({ q: common(), model: 'rare/model' })),
    kind('a common word in one day', () => ({
      q: common(),
      from: '2026-01-10T00:00:00Z',
      to: '2026-01-11T00:00:00Z',
    })),
  ]
}

export function listMix(): Kind[] {
  const once = (name: string, query: SearchQuery): Kind => ({
    name,
    queries: Array.from({ length: perKind }, () => query),
  })
  return [
    once('first page', { page: 1 }),
    once('page 40', { page: 40 }),
    once('page 300', { page: 300 }),
    once('a common tag', { page: 1, tags: ['common'] }),
    once('a rare tag', { page: 1, tags: ['rare'] }),
    once('accepted', { page: 1, feedback: 'accepted' }),
    once('a rare model', { page: 1, model: 'rare/model' }),
    once('imported under a rare tag', { page: 1, origin: 'imported', tags: ['rare'] }),
    once('one day', { page: 1, from: '2026-01-10T00:00:00Z', to: '2026-01-11T00:00:00Z' }),
  ]
}

function threeWords(text: string, random: Random): string {
  const words = text.split(' ')
  const at = 3 + Math.floor(random() * (words.length - 6))
  return words.slice(at, at + 3).join(' ')
}

/** The start of one word and the end of another, where each three letters in a row are in a hundred words at least. */
function absentLetters({ words }: Corpus, random: Random, length: number): string {
  const wordsWith = (part: string): number => words.filter((word) => word.includes(part)).length
  for (;;) {
    const one = words[Math.floor(random() * words.length)] as string
    const other = words[Math.floor(random() * words.length)] as string
    const q = one.slice(0, 3) + other.slice(-(length - 3))
    if (q.length !== length || wordsWith(q) > 0) continue
    const parts = Array.from({ length: length - 2 }, (_, i) => q.slice(i, i + 3))
    if (parts.every((part) => wordsWith(part) >= 20)) return q
  }
}
