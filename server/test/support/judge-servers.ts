// Model servers that judge, each in its own way, behind one address: the name of the model says which. For tests of what a test of
// answers makes of good judges and bad ones.
import { createHash } from 'node:crypto'
import { type JudgeQuestion, readJudgePrompt } from '#server/engine/judge-prompt.ts'
import { freePort } from './free-port.ts'
import { type Saying, type SaidCall, sayingUpstream, status } from './saying-upstream.ts'
import { wireRecords, wireWhole } from './wire-answer.ts'

export const judgeModels = {
  /** The first answer is better, and each is fully right. */
  first: 'judge/first',
  /** Anything, but always the same for the same question and seed. */
  random: 'judge/random',
  /** Its server refuses connections. */
  down: 'judge/down',
  /** Says what it thinks in words, and never gives a verdict. */
  prose: 'judge/prose',
  /** An answer is right when it is the right one to the letter. */
  honest: 'judge/honest',
  /** As honest, once it has refused its first calls. */
  wakes: 'judge/wakes',
} as const

export type JudgeServers = {
  /** Rows for the `models` of a catalog. */
  rows: object[]
  calls: SaidCall[]
  close(): Promise<void>
}

export type JudgeOptions = { seed?: string; pricing?: { input: number; output: number } }

export async function judgeServers(options: JudgeOptions = {}): Promise<JudgeServers> {
  const { seed = 'seed', pricing = { input: 1, output: 2 } } = options
  const upstream = await sayingUpstream()
  const { baseUrl, calls, says } = upstream
  says[judgeModels.first] = verdicts(() => ({ score: 1, better: 'a' }))
  says[judgeModels.random] = verdicts((question) => randomVerdict(question, seed))
  says[judgeModels.prose] = saysText(() => 'Both have their merits, and I would not choose.')
  says[judgeModels.honest] = honestJudge
  let asleep = 3
  says[judgeModels.wakes] = (exchange) => (asleep-- > 0 ? status(503) : honestJudge)(exchange)
  const nowhere = `http://127.0.0.1:${await freePort()}/v1`
  const rows = Object.values(judgeModels).map((id) =>
    judgeRow(id, id === judgeModels.down ? nowhere : baseUrl, pricing),
  )
  return { rows, calls, close: () => upstream.close() }
}

export function judgeRow(id: string, baseUrl: string, pricing = { input: 1, output: 2 }): object {
  return {
    id,
    context_window: 32_768,
    max_output_tokens: 4096,
    judge: true,
    routes: [{ engine: 'openai-compatible', base_url: baseUrl, pricing, probe: 'none' }],
  }
}

/** A text as the whole answer, in the form that was asked for. */
export function saysText(textFor: (call: SaidCall) => string): Saying {
  return ({ response, call }) => {
    const answer = { text: [textFor(call)] }
    if (call.body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(wireRecords('openai', answer).join(''))
    } else {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(wireWhole('openai', answer))
    }
  }
}

export const honestJudge: Saying = (exchange) => verdicts(honestVerdict)(exchange)

type BothVerdicts = { score: number; better: 'a' | 'b' | 'tie' }

function verdicts(judge: (question: JudgeQuestion) => BothVerdicts): Saying {
  return saysText((call) => {
    const question = questionIn(call)
    const { score, better } = judge(question)
    const reason = 'So it is.'
    return JSON.stringify(question.kind === 'score' ? { score, reason } : { better, reason })
  })
}

/** The question that the marks of the prompt tell apart. */
export function questionIn({ body }: SaidCall): JudgeQuestion {
  const messages = body.messages as { role: string; content: string }[]
  const user = messages.findLast(({ role }) => role === 'user')
  const question = user ? readJudgePrompt(user.content) : null
  if (!question) throw new Error('this is no judge prompt')
  return question
}

function honestVerdict(question: JudgeQuestion): BothVerdicts {
  const { rightAnswer } = question
  if (question.kind === 'score')
    return { score: question.answer === rightAnswer ? 1 : 0, better: 'tie' }
  const [a, b] = [question.a === rightAnswer, question.b === rightAnswer]
  return { score: 0, better: a === b ? 'tie' : a ? 'a' : 'b' }
}

function randomVerdict(question: JudgeQuestion, seed: string): BothVerdicts {
  const [byte = 0] = createHash('sha256').update(seed).update(JSON.stringify(question)).digest()
  return { score: byte / 255, better: (['a', 'b', 'tie'] as const)[byte % 3]! }
}
