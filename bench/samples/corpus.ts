// Made-up support conversations, the same on every run: a few thousand words of English-like syllables, used as often as
// words are (the second half as often as the first, the third a third as often), in questions and answers of a few lines.
import type { Conversation } from '#server/samples/sample/conversation.ts'

const wordCount = 4000
const commonWords =
  'the to a of and in is it you that for on with was this have not be are my your can we please order our i'.split(
    ' ',
  )
const starts =
  's c p r b t d m f l h g st tr pr con re de in un ex com dis pro sub br gr ch sh th cl pl fl'.split(
    ' ',
  )
const middles = 'a e i o u ea ou ai er or ar in an en on al el ur oo io'.split(' ')
const ends =
  't n r s d l m ng nt st ck rd ll ss ct ld sh nd tion ment able ing ed er ly ure age ty'.split(' ')

export type Random = () => number

/** Mulberry32: small, fast, and the same everywhere. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function makeWords(): string[] {
  const random = seeded(7)
  const pick = (from: readonly string[]): string =>
    from[Math.floor(random() * from.length)] as string
  const words = new Set(commonWords)
  while (words.size < wordCount) {
    let word = pick(starts) + pick(middles)
    if (random() < 0.5) word += pick(starts).charAt(0) + pick(middles)
    words.add(word + pick(ends))
  }
  return [...words]
}

export type Corpus = {
  words: readonly string[]
  /** A conversation by its number: the same number is the same conversation. */
  conversation(number: number): Conversation
}

export function corpus(): Corpus {
  const words = makeWords()
  const span = Math.log(words.length + 1)
  const word = (random: Random): string =>
    words[Math.floor(Math.exp(random() * span)) - 1] as string
  const sentence = (random: Random): string => {
    const length = 6 + Math.floor(random() * 12)
    const said = Array.from({ length }, () => word(random)).join(' ')
    return `${said.charAt(0).toUpperCase()}${said.slice(1)}${random() < 0.2 ? '?' : '.'}`
  }
  const speech = (random: Random, sentences: number): string =>
    Array.from({ length: sentences }, () => sentence(random)).join(' ')
  return {
    words,
    conversation(number) {
      const random = seeded(number + 1)
      const ticket = `Ticket ${100_000 + Math.floor(random() * 900_000)}`
      return {
        tools: [],
        system: [],
        messages: [
          {
            role: 'user',
            blocks: [
              { type: 'text', text: `${ticket}: ${speech(random, 2 + Math.floor(random() * 3))}` },
            ],
          },
        ],
        answer: [{ type: 'text', text: speech(random, 5 + Math.floor(random() * 4)) }],
      }
    },
  }
}
