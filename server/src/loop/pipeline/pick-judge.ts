// Which model scores the answers of a pipeline's tests.
import type { CatalogModel } from '../../catalog/catalog-file.ts'
import { pricesOf } from '../../catalog/model-row.ts'
import type { Picodollars } from '../../lib/money.ts'

export type JudgeCandidate = {
  id: string
  /** Whether the catalog says that it rates answers. */
  judge: boolean
  /** Whether it answers any conversation. */
  chat: boolean
  /** The highest of its routes. */
  output: Picodollars
  input: Picodollars
}

/**
 * The model that is named, if there is such a model. Otherwise the dearest that the catalog says is a judge, or else the dearest
 * chat model that is not the pipeline's own; null when there is none.
 */
export function pickJudge(
  candidates: readonly JudgeCandidate[],
  ownModel: string,
  named: string | null,
): string | null {
  if (named !== null) return candidates.find(({ id }) => id === named)?.id ?? null
  const judges = candidates.filter(({ judge }) => judge)
  if (judges.length > 0) return dearest(judges)
  return dearest(candidates.filter(({ id, chat }) => chat && id !== ownModel))
}

/** By the price of output, then of input; of equals, the first in the catalog. */
function dearest(candidates: readonly JudgeCandidate[]): string | null {
  const [first] = candidates.toSorted(
    (one, other) => compare(other.output, one.output) || compare(other.input, one.input),
  )
  return first?.id ?? null
}

function compare(one: Picodollars, other: Picodollars): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export function judgeCandidate({ id, judge, routes }: CatalogModel): JudgeCandidate {
  const prices = routes.map(pricesOf)
  const highest = (of: 'input' | 'output'): Picodollars =>
    prices.reduce((most, price) => (price[of] > most ? price[of] : most), 0n)
  return {
    id,
    judge,
    chat: routes.some(({ engine }) => engine !== 'judge-basic'),
    output: highest('output'),
    input: highest('input'),
  }
}

/** The judge that comes with Hone compares with the right answer, so it cannot score what has none. */
export function needsRightAnswer(model: CatalogModel | null): boolean {
  return model !== null && model.routes.every(({ engine }) => engine === 'judge-basic')
}
