// What one request allows its answer to be, compiled once: marks, grammars and limits. A `Turn` follows them.
import type { CallRequest, Effort } from '../../../core/request.ts'
import { EngineError } from '../../engine.ts'
import type { GrammarNode } from '../grammar/grammar-node.ts'
import { anyObject } from '../grammar/json-grammar.ts'
import { schemaGrammar } from '../grammar/schema-grammar.ts'
import { answerSchema, refusal, toolSchemas } from '../grammar/schema-limits.ts'
import type { SchemaPlace } from '../grammar/schema-limits.ts'
import { TokenGrammar } from '../grammar/token-grammar.ts'
import { tokenSet } from '../grammar/token-set.ts'
import type { TokenSet } from '../grammar/token-set.ts'
import { tokenTrie } from '../grammar/token-trie.ts'
import type { TokenTrie } from '../grammar/token-trie.ts'
import { toolCallGrammar } from '../grammar/tool-call-grammar.ts'
import type { Tokenizer } from '../prompt/tokenizer.ts'
import { thinkingBudget } from './thinking-budget.ts'

/** The ids of a model's marks; null where it has no such mark. */
export type Marks = {
  ends: readonly number[]
  think: number | null
  thinkEnd: number | null
  toolCall: number | null
  toolCallEnd: number | null
}

/** What all turns of one model share. */
export type Vocabulary = {
  bytes: readonly (Uint8Array | null)[]
  trie: TokenTrie
  marks: Marks
  /** Every token that is text. */
  words: TokenSet
  dropsFirstSpace: boolean
}

export type TurnRules = {
  /** Null: no thinking at all. */
  thinkingBudget: number | null
  /** Null: free text. */
  answer: TokenGrammar | null
  /** Null: no call may be made. */
  calls: { grammar: TokenGrammar; required: boolean; several: boolean } | null
  stop: string[]
}

export function vocabularyOf(tokenizer: Tokenizer, ends: readonly number[]): Vocabulary {
  const mark = (spelling: string) => tokenizer.marks.get(spelling)?.id ?? null
  const words = tokenizer.bytes.flatMap((bytes, id) => (bytes ? [id] : []))
  return {
    bytes: tokenizer.bytes,
    trie: tokenTrie(tokenizer.bytes),
    marks: {
      ends,
      think: mark('<think>'),
      thinkEnd: mark('</think>'),
      toolCall: mark('<tool_call>'),
      toolCallEnd: mark('</tool_call>'),
    },
    words: tokenSet(tokenizer.vocabSize, words),
    dropsFirstSpace: tokenizer.dropsFirstSpace,
  }
}

const keptGrammarsMax = 32

/** Compiled grammars are kept by what they were compiled from, because applications repeat themselves. */
export class RuleBook {
  readonly #vocabulary: Vocabulary
  readonly #grammars = new Map<string, TokenGrammar>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  rulesFor(request: CallRequest, effort: Effort | null, budgetTokens: number | null): TurnRules {
    return {
      thinkingBudget: thinkingBudget(effort, budgetTokens),
      answer: this.#answer(request),
      calls: this.#calls(request),
      stop: request.stop,
    }
  }

  #answer({ output }: CallRequest): TokenGrammar | null {
    switch (output.kind) {
      case 'text':
        return null
      case 'json':
        return this.#grammar('json', answerSchema, () => anyObject)
      case 'json-schema': {
        const { schema } = output
        const key = `schema ${JSON.stringify(schema)}`
        return this.#grammar(key, answerSchema, () => schemaGrammar(schema))
      }
    }
  }

  #calls({ tools, toolChoice, parallelToolCalls }: CallRequest): TurnRules['calls'] {
    if (toolChoice.kind === 'none') return null
    const required = toolChoice.kind !== 'auto'
    const offered =
      toolChoice.kind === 'named' ? tools.filter((tool) => tool.name === toolChoice.name) : tools
    if (offered.length === 0) {
      if (!required) return null
      const sentence = 'A tool call is required, but no such tool was sent.'
      throw new EngineError('refused', sentence, { param: 'tool_choice' })
    }
    const { toolCall, toolCallEnd } = this.#vocabulary.marks
    if (toolCall === null || toolCallEnd === null) {
      if (!required) return null
      throw new EngineError('refused', 'This model cannot call tools.', { param: 'tool_choice' })
    }
    const key = `tools ${JSON.stringify(offered.map(({ name, parameters }) => [name, parameters]))}`
    const grammar = this.#grammar(key, toolSchemas, () => toolCallGrammar(offered))
    return { grammar, required, several: parallelToolCalls }
  }

  #grammar(key: string, place: SchemaPlace, compile: () => GrammarNode): TokenGrammar {
    const tooMuch = () =>
      refusal(place, 'has too many alternatives in one place; use fewer of them.')
    const grammar =
      this.#grammars.get(key) ?? new TokenGrammar(compile(), this.#vocabulary.trie, tooMuch)
    // Set anew, so that the map's order is the order of use.
    this.#grammars.delete(key)
    this.#grammars.set(key, grammar)
    for (const oldest of this.#grammars.keys()) {
      if (this.#grammars.size <= keptGrammarsMax) break
      this.#grammars.delete(oldest)
    }
    return grammar
  }
}
