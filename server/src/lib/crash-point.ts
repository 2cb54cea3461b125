// Named points at which a test can kill this process, to prove what a crash there leaves behind. Without
// HONE_CRASH_AT (`name` or `name:nth`) they do nothing.
const [, crashName, nth = '1'] = /^(.*?)(?::(\d+))?$/.exec(process.env.HONE_CRASH_AT ?? '')!
let left = Number(nth)
const [, outer, words = ''] = /^in:([^:]+):(.+)$/.exec(crashName!) ?? []

/** The points of an inference call. */
export type CallPoint =
  | 'admitted'
  | 'sent'
  | 'first-byte'
  | 'usage-seen'
  | 'last-byte'
  | 'written-down'
  | 'before-commit'
  | 'after-commit'

/** Those around an effect, which `effectRunner` sets. */
export type EffectPoint = `before:${string}` | `after:${string}`

/** After a statement with these words that is sent while the effect is under way: `in:<effect>:<words>`. */
export type StatementPoint = `in:${string}:${string}`

export type CrashPoint = CallPoint | EffectPoint | StatementPoint

export function crashPoint(name: CrashPoint): void {
  if (crashName === name && --left === 0) process.kill(process.pid, 'SIGKILL')
}

let isUnderWay = false

/** Told of every statement where HONE_CRASH_AT is a point between them; otherwise statements need no log. */
export const afterStatement =
  outer === undefined
    ? null
    : (statement: string): void => {
        if (isUnderWay && statement.includes(words)) crashPoint(`in:${outer}:${words}`)
      }

/** Runs the effects of a list, each between two crash points, so that none can be without them. */
export function effectRunner<Name extends string>(_names: readonly Name[]) {
  return async <Result>(name: Name, act: () => Promise<Result>): Promise<Result> => {
    crashPoint(`before:${name}`)
    isUnderWay ||= name === outer
    const result = await act()
    if (name === outer) isUnderWay = false
    crashPoint(`after:${name}`)
    return result
  }
}
