// Text under a grammar, written by a model that prefers anything.
import assert from 'node:assert/strict'
import type { GrammarNode } from '#server/engine/embedded/grammar/grammar-node.ts'
import { TokenGrammar } from '#server/engine/embedded/grammar/token-grammar.ts'
import { hasToken, isEmpty } from '#server/engine/embedded/grammar/token-set.ts'
import { randomSource } from '#server/engine/embedded/generate/random-source.ts'
import { toyBytes, toyTrie } from './toy-vocabulary.ts'

export const tooMuch = () => new Error('too much work')

/** Writes with random preferences, ending as early as the coin says and at the latest after `tokensMax`. */
export function writeAtRandom(
  grammar: GrammarNode,
  seed: number,
  tokensMax: number,
): string | null {
  const random = randomSource(seed)
  const run = new TokenGrammar(grammar, toyTrie, tooMuch).begin()
  if (run.minTokens > tokensMax) return null
  const written: Uint8Array[] = []
  for (let left = tokensMax; !run.ended; left--) {
    if (run.complete && (left === 0 || random() < 0.3)) break
    const allowed = run.allowedToFinish(left) ?? run.allowed()
    assert.ok(left > 0 && !isEmpty(allowed), `stuck after ${Buffer.concat(written).toString()}`)
    const options = toyBytes.flatMap((_, id) => (hasToken(allowed, id) ? [id] : []))
    const id = options[Math.floor(random() * options.length)]!
    assert.ok(run.write(toyBytes[id]!), 'an allowed token must fit')
    written.push(toyBytes[id]!)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(written))
}
