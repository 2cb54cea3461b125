// `hone/judge-basic` behind the engine port: a grader that answers judge prompts and nothing else.
import type { Message } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import type { StopReason } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { noUsage } from '../../core/usage.ts'
import { LoopTurns } from '../../lib/loop-turns.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { judgeAnswers } from './judge-answers.ts'
import { readJudgePrompt } from '../judge-prompt.ts'

const onlyJudges =
  'I am a simple grader. I only compare an answer with a right answer when a judge request asks me to; I cannot chat.'

/** It has no tokenizer, so four characters are a token. */
const charactersPerToken = 4

/** A prompt longer than this takes milliseconds to compare. */
const shortTokensMax = 8_000

export class JudgeBasicEngine implements Engine {
  readonly #turns = new LoopTurns()

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart[], void> {
    const promptTokens = promptTokensOf(call.request)
    if (promptTokens > shortTokensMax) await this.#turns.next()
    if (signal.aborted) return
    const { reply, reason } = stopped(replyTo(call.request), call.request.stop)
    const whole = tokensOf(reply) <= call.maxTokens
    const text = whole ? reply : reply.slice(0, call.maxTokens * charactersPerToken)
    const said: StreamPart[] = text === '' ? [] : [{ type: 'text-delta', text }]
    const end: StreamPart = {
      type: 'finish',
      reason: whole ? reason : { kind: 'length' },
      usage: {
        ...noUsage,
        inputTokens: promptTokens,
        outputTokens: tokensOf(text),
      },
    }
    yield [...said, end]
  }

  async countPromptTokens(call: EngineCall): Promise<number> {
    return promptTokensOf(call.request)
  }

  /** Nothing is held that could be taken away from a call. */
  readonly busy = false

  async close(): Promise<void> {}
}

/** Up to the first of the texts to stop at. */
function stopped(reply: string, stops: readonly string[]): { reply: string; reason: StopReason } {
  let end = reply.length
  let reason: StopReason = { kind: 'end' }
  for (const text of stops) {
    const at = text === '' ? -1 : reply.indexOf(text)
    if (at === -1 || at >= end) continue
    end = at
    reason = { kind: 'stop-string', text }
  }
  return { reply: reply.slice(0, end), reason }
}

function replyTo({ messages, output }: CallRequest): string {
  const last = messages.findLast((message) => message.role === 'user')
  const question = last ? readJudgePrompt(textOf(last)) : null
  if (question) return JSON.stringify(judgeAnswers(question))
  return output.kind === 'text' ? onlyJudges : JSON.stringify({ message: onlyJudges })
}

function promptTokensOf({ system, messages }: CallRequest): number {
  const texts = [...system.map((block) => block.text), ...messages.map(textOf)]
  return texts.reduce((sum, text) => sum + tokensOf(text), 0)
}

function textOf({ blocks }: Message): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}
