// Asks models or the judge for a portion of what is missing, a few at a time. What comes is stored as it comes.
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { questionBytesMost, readTestQuestions, type TestQuestion } from './test-questions.ts'
import type { Picodollars } from '../../lib/money.ts'
import { markMissing, sumTestCosts } from './test-store.ts'
import type { TestedAttempt, TestPlan } from './tested-attempt.ts'

/** So many of the missing are read together. */
export const portionMost = 64
const callsAtOnce = 8
/** Then no other call of the portion begins, so that an attempt that is stopped ends within seconds. */
const portionMs = 3000

export type Asked =
  | {
      /** The servers took no call. */
      away: boolean
      cost: Picodollars
      /** False where the workspace's own bucket does not take what was said. */
      store(): Promise<boolean>
    }
  /** What was answered before cannot be read. */
  | 'gone'
  | 'unreadable'

/** What is still waited for: the storage of the workspace for an hour, servers that take no calls for ten minutes. */
export type Waits = { storage: boolean; servers: boolean }

export type PortionTry = {
  /** Samples that could not be read, or whose words the storage did not take: those that are tried again, and those left out. */
  storage: { awaited: number; leftOut: number }
  /** Servers of a model or the judge took no calls. */
  away: boolean
}

export async function askPortion<Missing extends { sample_id: string }>(
  app: App,
  attempt: TestedAttempt & { test: TestPlan },
  asked: {
    missing: readonly Missing[]
    waits: Waits
    /** Called instead, once the test has cost more than the most that it may. */
    leaveOut: () => Promise<void>
  },
  ask: (one: Missing, question: TestQuestion) => Promise<Asked>,
): Promise<PortionTry> {
  const { missing, waits, leaveOut } = asked
  const most = BigInt(attempt.test.most)
  let { cost: spent } = await sumTestCosts(app.storage.db, attempt)
  if (spent > most) {
    await leaveOut()
    return { storage: { awaited: 0, leftOut: 0 }, away: false }
  }
  const ids = [...new Set(missing.map(({ sample_id }) => sample_id))]
  const questions = await readTestQuestions(app, attempt, ids, questionBytesMost)
  const unreadable = new Set(ids.filter((id) => questions.get(id) === 'unreadable'))
  const gone = new Set(ids.filter((id) => questions.get(id) === 'gone'))
  let away = false
  let isStuck = false
  const endMs = performance.now() + portionMs
  await inParallel(missing, callsAtOnce, async (one) => {
    const { sample_id: id } = one
    const question = questions.get(id)
    const isOver = performance.now() >= endMs || isStuck || spent > most
    if (typeof question !== 'object' || isOver || gone.has(id) || unreadable.has(id)) return
    const reply = await ask(one, question)
    if (reply === 'gone') {
      gone.add(id)
    } else if (reply === 'unreadable') {
      unreadable.add(id)
      isStuck ||= waits.storage
    } else if (reply.away && waits.servers) {
      away = isStuck = true
    } else {
      away ||= reply.away
      spent += reply.cost
      if (await reply.store()) return
      unreadable.add(id)
      isStuck ||= waits.storage
    }
  })
  await markMissing(
    app.storage.db,
    attempt.id,
    waits.storage ? [...gone] : [...gone, ...unreadable],
  )
  const { size } = unreadable
  const storage = waits.storage ? { awaited: size, leftOut: 0 } : { awaited: 0, leftOut: size }
  return { storage, away }
}
