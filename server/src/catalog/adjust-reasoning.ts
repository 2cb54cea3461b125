// Which reasoning level a model is really asked for, and whether that is another than the caller named (spec 1,
// reasoning rules 1 to 4 and 12).
import { type Effort, effortLevels, effortTokens, type Reasoning } from '../core/request.ts'

export type Ladder = {
  efforts: readonly Effort[]
  /** Null: the model does not think unless it is asked to. */
  default: Effort | null
  required: boolean
}

export type SettledReasoning = {
  /** Null means no thinking at all. */
  effort: Effort | null
  budgetTokens: number | null
  adjusted: boolean
}

export function adjustReasoning(asked: Reasoning, ladder: Ladder | undefined): SettledReasoning {
  if (!ladder || ladder.efforts.length === 0) {
    // Whatever was said about thinking is dropped and that is said, also where it was to do without.
    return { effort: null, budgetTokens: null, adjusted: asked.kind !== 'default' }
  }
  const budgetTokens = ('budgetTokens' in asked ? asked.budgetTokens : undefined) ?? null
  switch (asked.kind) {
    case 'default':
      return { effort: ladder.default, budgetTokens, adjusted: false }
    case 'on':
      return {
        effort: nearest(withinBudget(ladder.default ?? 'high', budgetTokens), ladder.efforts),
        budgetTokens,
        adjusted: false,
      }
    case 'off':
      if (!ladder.required) return { effort: null, budgetTokens: null, adjusted: false }
      return { effort: cheapest(ladder.efforts), budgetTokens: null, adjusted: true }
    case 'effort': {
      const effort = nearest(asked.effort, ladder.efforts)
      return { effort, budgetTokens, adjusted: effort !== asked.effort }
    }
  }
}

/** Most engines take levels only, and who names a small budget wants little thinking. A large one asks for no more than usual. */
function withinBudget(usual: Effort, budgetTokens: number | null): Effort {
  if (budgetTokens === null) return usual
  const levels = effortLevels.slice(0, rank(usual) + 1)
  const distance = (level: Effort): number =>
    Math.abs(Math.log(effortTokens[level] / Math.max(1, budgetTokens)))
  return levels.reduce((best, level) => (distance(level) < distance(best) ? level : best))
}

/** The level itself, else the next higher one that is published, else the highest. */
function nearest(asked: Effort, published: readonly Effort[]): Effort {
  const sorted = inOrder(published)
  const atLeast = sorted.find((level) => rank(level) >= rank(asked))
  return atLeast ?? (sorted.at(-1) as Effort)
}

function cheapest(published: readonly Effort[]): Effort {
  return inOrder(published)[0] as Effort
}

function inOrder(published: readonly Effort[]): Effort[] {
  return [...published].sort((a, b) => rank(a) - rank(b))
}

function rank(level: Effort): number {
  return effortLevels.indexOf(level)
}
