// One answer while it is written: says which tokens may come next and turns the chosen ones into stream parts.
// It knows no model and no sampling; `accept` is told what was picked.
import type { StopReason } from '../../../core/stop-reason.ts'
import type { StreamPart } from '../../../core/stream-part.ts'
import { EngineError } from '../../engine.ts'
import { StopScanner } from '../../stop-scanner.ts'
import type { GrammarRun } from '../grammar/token-grammar.ts'
import { addAll, addToken, tokenSet } from '../grammar/token-set.ts'
import type { TokenSet } from '../grammar/token-set.ts'
import type { BegunAnswer } from '../prompt/begun-answer.ts'
import { begunJson } from '../prompt/begun-json.ts'
import { utf8Stream } from '../prompt/utf8-stream.ts'
import type { Utf8Stream } from '../prompt/utf8-stream.ts'
import { ToolCallWriter } from './tool-call-writer.ts'
import type { TurnRules, Vocabulary } from './turn-rules.ts'

/** `allowed` must be kept; `wanted`, where it is wider, is what would be allowed were there room to go on. */
export type NextTokens = { allowed: TokenSet; wanted: TokenSet }

type Phase =
  | { kind: 'thinking' }
  | { kind: 'answer'; run: GrammarRun | null; begun: boolean }
  | { kind: 'call'; run: GrammarRun; writer: ToolCallWriter }
  | { kind: 'after-call' }

export class Turn {
  readonly #vocabulary: Vocabulary
  readonly #rules: TurnRules
  readonly #tokensMax: number
  readonly #scanner: StopScanner
  #phase: Phase
  #utf8: Utf8Stream
  #calls = 0
  #cutShort = false
  #skipsSpace = false
  #finished: StopReason | null = null
  outputTokens = 0
  thinkingTokens = 0

  /** `inside` says what the prompt itself ends inside of; null where it ends before all. */
  constructor(
    vocabulary: Vocabulary,
    rules: TurnRules,
    tokensMax: number,
    inside: 'thought' | BegunAnswer | null,
  ) {
    this.#vocabulary = vocabulary
    this.#rules = rules
    this.#tokensMax = tokensMax
    this.#scanner = new StopScanner(rules.stop)
    this.#utf8 = utf8Stream(vocabulary)
    this.#phase = inside === 'thought' ? { kind: 'thinking' } : this.#answer()
    if (inside !== null && inside !== 'thought') this.#carryOn(inside)
  }

  get finished(): StopReason | null {
    return this.#finished
  }

  next(): NextTokens {
    const phase = this.#phase
    const left = this.#tokensMax - this.outputTokens
    switch (phase.kind) {
      case 'thinking': {
        const { thinkEnd } = this.#vocabulary.marks
        const spent = this.thinkingTokens >= (this.#rules.thinkingBudget ?? 0)
        return same(this.#set(spent ? null : this.#vocabulary.words, [thinkEnd]))
      }
      case 'answer':
        return this.#nextInAnswer(phase, left)
      case 'call': {
        const { toolCallEnd } = this.#vocabulary.marks
        const ending = phase.run.complete ? [toolCallEnd] : []
        // One token is kept for the mark that ends the call.
        const fitting = phase.run.allowedToFinish(left - 1)
        const wanted = this.#set(phase.run.allowed(), ending)
        return { allowed: fitting ? this.#set(fitting, ending) : wanted, wanted }
      }
      case 'after-call': {
        const { ends, toolCall } = this.#vocabulary.marks
        const wanted = this.#set(null, [...ends, toolCall])
        return { allowed: this.#callFits(left) ? wanted : this.#set(null, [...ends]), wanted }
      }
    }
  }

  /** Tells which token was picked, and whether one outside `allowed` was preferred for want of room. */
  accept(token: number, cutShort = false): StreamPart[] {
    this.outputTokens++
    this.#cutShort ||= cutShort
    const parts = this.#take(token)
    if (this.#finished === null && this.outputTokens >= this.#tokensMax) {
      parts.push(...this.#finish({ kind: 'length' }))
    }
    return parts
  }

  #nextInAnswer({ run, begun }: Phase & { kind: 'answer' }, left: number): NextTokens {
    const { marks, words } = this.#vocabulary
    const { calls, thinkingBudget } = this.#rules
    // Models whose template leaves it to them may open a thought, as the very first thing.
    const think = thinkingBudget !== null && this.outputTokens === 0 ? marks.think : null
    if (calls?.required) return same(this.#set(null, [think, marks.toolCall]))
    const call = calls && !(run && begun) ? marks.toolCall : null
    const fittingCall = this.#callFits(left) ? call : null
    const others = [...(run && !run.complete ? [] : marks.ends), think]
    const wanted = this.#set(run ? run.allowed() : words, [...others, call])
    const fitting = run?.allowedToFinish(left)
    if (!fitting && call === fittingCall) return same(wanted)
    const allowed = this.#set(fitting ?? (run ? run.allowed() : words), [...others, fittingCall])
    return { allowed, wanted }
  }

  /** A call that has no room to end is not begun, unless one is required. */
  #callFits(left: number): boolean {
    return this.#rules.calls !== null && this.#rules.calls.grammar.minTokens + 2 <= left
  }

  #take(token: number): StreamPart[] {
    const { marks } = this.#vocabulary
    const phase = this.#phase
    if (token === marks.think || phase.kind === 'thinking') return this.#takeThinking(token)
    if (token === marks.toolCall) {
      const flushed = this.#text(this.#scanner.end())
      const writer = new ToolCallWriter(this.#calls++)
      this.#enter({ kind: 'call', run: this.#rules.calls!.grammar.begin(), writer })
      return flushed
    }
    if (phase.kind === 'call') return this.#takeInCall(phase, token)
    if (marks.ends.includes(token)) return this.#end()
    return phase.kind === 'answer' ? this.#takeInAnswer(phase, token) : []
  }

  #takeThinking(token: number): StreamPart[] {
    this.thinkingTokens++
    const { think, thinkEnd } = this.#vocabulary.marks
    if (token === think) this.#enter({ kind: 'thinking' })
    else if (token === thinkEnd) this.#enter(this.#answer())
    else {
      const text = this.#decode(token)
      return text === '' ? [] : [{ type: 'thinking-delta', text }]
    }
    return []
  }

  #takeInAnswer(phase: Phase & { kind: 'answer' }, token: number): StreamPart[] {
    phase.begun = true
    phase.run?.write(this.#vocabulary.bytes[token]!)
    const { text, stop } = this.#scanner.push(this.#written(token))
    const parts = this.#text(text)
    if (stop !== null) parts.push(...this.#finish({ kind: 'stop-string', text: stop }))
    else if (phase.run?.ended) parts.push(...this.#end())
    return parts
  }

  #takeInCall({ run, writer }: Phase & { kind: 'call' }, token: number): StreamPart[] {
    if (token !== this.#vocabulary.marks.toolCallEnd) {
      run.write(this.#vocabulary.bytes[token]!)
      return writer.push(this.#decode(token))
    }
    this.#enter({ kind: 'after-call' })
    return this.#rules.calls!.several ? writer.end() : [...writer.end(), ...this.#end()]
  }

  /** The answer is whole. If a want of room shaped it, that is said, though it is whole and valid. */
  #end(): StreamPart[] {
    if (this.#cutShort) return this.#finish({ kind: 'length' })
    return this.#finish({ kind: this.#calls > 0 ? 'tool-calls' : 'end' })
  }

  #finish(reason: StopReason): StreamPart[] {
    this.#finished = reason
    const open = this.#phase.kind === 'call' ? this.#phase.writer.end() : []
    return reason.kind === 'stop-string' ? open : [...this.#text(this.#scanner.end()), ...open]
  }

  #answer(): Phase {
    return { kind: 'answer', run: this.#rules.answer?.begin() ?? null, begun: false }
  }

  /** A space that the next token begins with is then part of the text, unless there was one already. */
  #carryOn({ text, spaced }: BegunAnswer): void {
    this.#utf8 = utf8Stream()
    this.#skipsSpace = spaced
    if (this.#phase.kind !== 'answer' || !this.#phase.run) return
    this.#phase.begun = true
    if (writeBegun(this.#phase.run, spaced ? `${text} ` : text)) return
    throw new EngineError(
      'refused',
      'The last message begins an answer that does not match the requested format; change the message or the format.',
      { param: 'messages' },
    )
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#utf8 = utf8Stream(this.#vocabulary)
  }

  #written(token: number): string {
    const text = this.#decode(token)
    if (!this.#skipsSpace) return text
    const rest = text.trimStart()
    this.#skipsSpace = rest === ''
    return rest
  }

  #decode(token: number): string {
    return this.#utf8.push(this.#vocabulary.bytes[token]!)
  }

  #text(text: string): StreamPart[] {
    return text === '' ? [] : [{ type: 'text-delta', text }]
  }

  #set(words: TokenSet | null, marks: (number | null)[]): TokenSet {
    const set = tokenSet(this.#vocabulary.bytes.length)
    if (words) addAll(set, words)
    for (const mark of marks) if (mark !== null) addToken(set, mark)
    return set
  }
}

/** False where the text is not the beginning of what the grammar describes. */
function writeBegun(run: GrammarRun, text: string): boolean {
  const begun = begunJson(text)
  if (!begun || !run.write(Buffer.from(begun.compact))) return false
  return !begun.endsWord || run.endWord()
}

function same(allowed: TokenSet): NextTokens {
  return { allowed, wanted: allowed }
}
