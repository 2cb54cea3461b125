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

/** Many times what fits into the tokens of a verdict; a server may ignore how many were asked for. */
export const reasonCharactersMax = 2000

/** As a database can hold it, and cut between words, because half of a sensitive value would not be recognized as one. */
function reasonOf({ reason }: Record<string, unknown>): string {
  if (typeof reason !== 'string') return ''
  const text = reason.replaceAll('\0', '').toWellFormed()
  if (text.length <= reasonCharactersMax) return text
  const end = text.lastIndexOf(' ', reasonCharactersMax)
  return text.slice(0, Math.max(0, end))
}

/** The whole reply, or the only fenced block in it: in prose a judge may quote what an answer says. */
function jsonObject(reply: string): Record<string, unknown> | null {
  const [, fenced, ...rest] = reply.split('```')
  const block = rest.length === 1 ? [fenced!.replace(/^\w*/, '')] : []
  for (const text of [reply, ...block]) {
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
