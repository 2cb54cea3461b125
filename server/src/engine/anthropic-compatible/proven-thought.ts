// Thoughts that a server of this dialect signed. It takes them up again only with its own signature, and only it: a proof
// holds that signature and says where it is from, and travels inside the signature that our clients pass back.
import { createHash } from 'node:crypto'
import type { ThinkingBlock } from '../../core/block.ts'
import type { Json } from '../../lib/json-object.ts'

/** A signature of words that were shown, or the thought itself where the server shows none. */
const kinds = { signature: 's', data: 'd' } as const
type Kind = keyof typeof kinds

/** Enough to tell a handful of servers and models apart. */
const placeCharacters = 16

/** The proofs of one model at one server. */
export class ProvenThoughts {
  readonly #baseUrl: string
  readonly #model: string
  #place: string | null = null

  constructor(baseUrl: string, model: string) {
    this.#baseUrl = baseUrl
    this.#model = model
  }

  proofOf(kind: Kind, value: string): string {
    return kinds[kind] + this.#here() + value
  }

  /** As the server sent it; null for a thought that it did not sign. */
  wire({ text, proof }: ThinkingBlock): Json | null {
    if (proof === undefined || proof.slice(1, placeCharacters + 1) !== this.#here()) return null
    const value = proof.slice(placeCharacters + 1)
    return proof.startsWith(kinds.data)
      ? { type: 'redacted_thinking', data: value }
      : { type: 'thinking', thinking: text, signature: value }
  }

  #here(): string {
    this.#place ??= createHash('sha256')
      .update(JSON.stringify([this.#baseUrl, this.#model]))
      .digest('base64url')
      .slice(0, placeCharacters)
    return this.#place
  }
}

export function isProven({ type }: Json): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

export function holdsProven(turns: readonly { content: Json[] }[]): boolean {
  return turns.some(({ content }) => content.some(isProven))
}
