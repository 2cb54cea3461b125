// What a judge may reply, and how its reply is read. Nothing but these fields is ever taken from one.
export type ScoreVerdict = { score: number; reason: string }
export type PairVerdict = { better: 'a' | 'b' | 'tie'; reason: string }

/** Null where the reply is no verdict; that is a failure to score, never a score. */
export function readScoreVerdict(reply: string): ScoreVerdict | null {
  const fields = jsonObject(reply)
  const score = fields?.score
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return null
  return { score, reason: reasonOf(fields) }
}

export function readPairVerdict(reply: string): PairVerdict | null {
  const fields = jsonObject(reply)
  const better = fields?.better
  if (better !== 'a' && better !== 'b' && better !== 'tie') return null
  return { better, reason: reasonOf(fields) }
}

function reasonOf(fields: Record<string, unknown> | null): string {
  return typeof fields?.reason === 'string' ? fields.reason : ''
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
