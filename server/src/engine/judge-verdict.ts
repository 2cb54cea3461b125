// What a judge may reply, and how its reply is read. Nothing but these fields is ever taken from one.
export type ScoreVerdict = { score: number; reason: string }
export type PairVerdict = { better: 'a' | 'b' | 'tie'; reason: string }

/** How a judge says that it has nothing to go by; only a question without a right answer may be left open so. */
export type OpenScore = { score: null; reason: string }
export type OpenPair = { better: null; reason: string }

/** What cannot be read is a failure to score, never a score. `why` is a sentence about the form of the reply alone. */
export type Reading<Verdict> =
  | { kind: 'verdict'; verdict: Verdict }
  | { kind: 'open'; reason: string }
  | { kind: 'unreadable'; why: string }

export function readScoreVerdict(reply: string): Reading<ScoreVerdict> {
  const fields = jsonObject(reply)
  if (fields === null) return noObject
  const { score } = fields
  const reason = reasonOf(fields)
  if (score === null) return { kind: 'open', reason }
  return typeof score === 'number' && score >= 0 && score <= 1
    ? { kind: 'verdict', verdict: { score, reason } }
    : { kind: 'unreadable', why: 'Its "score" was not a number from 0 to 1.' }
}

export function readPairVerdict(reply: string): Reading<PairVerdict> {
  const fields = jsonObject(reply)
  if (fields === null) return noObject
  const { better } = fields
  const reason = reasonOf(fields)
  if (better === null) return { kind: 'open', reason }
  return better === 'a' || better === 'b' || better === 'tie'
    ? { kind: 'verdict', verdict: { better, reason } }
    : { kind: 'unreadable', why: 'Its "better" was not "a", "b" or "tie".' }
}

const noObject = { kind: 'unreadable', why: 'It was not one JSON object.' } as const

function reasonOf(fields: Record<string, unknown>): string {
  return typeof fields.reason === 'string' ? fields.reason : ''
}

/** Models wrap JSON in fences and pleasantries; what stands between the outermost braces is tried too. */
function jsonObject(reply: string): Record<string, unknown> | null {
  const inner = reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1)
  for (const text of [reply, inner]) {
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return value as Record<string, unknown>
      }
    } catch {
      // The next reading, or none.
    }
  }
  return null
}
