// Fixes what an attempt is tested on before the first call: the longest held back come first, as many as the money surely pays for. What
// a version has learned meanwhile is not asked.
import type { App } from '../../app.ts'
import type { CatalogModel } from '../../catalog/catalog-file.ts'
import type { Picodollars } from '../../lib/money.ts'
import { howManyToTest, mostATestCosts } from './judge/test-cost.ts'
import { isLiveWords, type LiveModel } from './live-words.ts'
import { questionBytesMost, readTestQuestions } from './test-questions.ts'
import { listTested } from './test-store.ts'
import type { TestedAttempt } from './tested-attempt.ts'

export type FixedTest = {
  /** How many are tested, the last of them included. */
  last: number
  asked: number
  /** For want of money. */
  leftOut: number
  missing: string[]
  liveWords: string[]
  /** The most that all of it can cost. */
  most: Picodollars
}

const readAtOnce = 100

/** How many cannot be read at the moment; they are missing where nobody waits for them any longer. */
export async function fixTest(
  app: App,
  attempt: TestedAttempt,
  params: {
    model: string
    judge: CatalogModel
    rubric: string | null
    live: LiveModel
    money: Picodollars
    waits: boolean
    /** Of the samples to be tested, those that a version has learned since they were held back. */
    learned: readonly string[]
  },
): Promise<FixedTest | { unreadable: number }> {
  const { model, judge, rubric, live, money, waits, learned } = params
  const row = app.catalog.find(model)
  if (!row) throw new Error(`the model ${model} is not in the catalog any more`)
  const models = { candidate: row, live: app.catalog.find(live.model) ?? row, judge }
  const ids = (await listTested(app.storage.db, attempt.id)).map(({ sample_id }) => sample_id)
  const found = new Map<string, { isLiveWords: boolean; most: Picodollars }>()
  const missing = [...learned]
  let unreadable = 0
  for (let left = ids.filter((id) => !learned.includes(id)); left.length > 0;) {
    const portion = left.slice(0, readAtOnce)
    const questions = await readTestQuestions(app, attempt, portion, questionBytesMost)
    left = left.filter((id) => !questions.has(id))
    for (const [id, question] of questions) {
      if (typeof question === 'object') {
        const most = mostATestCosts({ ...question, rubric }, models)
        found.set(id, { isLiveWords: isLiveWords(question, live), most })
      } else if (question === 'unreadable' && waits) unreadable += 1
      else missing.push(id)
    }
    if (unreadable > 0) return { unreadable }
  }
  const costs = ids.map((id) => found.get(id)?.most ?? 0n)
  const last = howManyToTest(costs, money)
  const tested = new Set(ids.slice(0, last))
  const gone = missing.filter((id) => tested.has(id))
  return {
    last,
    asked: last - gone.length,
    leftOut: ids.length - last,
    missing: gone,
    liveWords: [...tested].filter((id) => found.get(id)?.isLiveWords),
    most: costs.slice(0, last).reduce((sum, cost) => sum + cost, 0n),
  }
}
