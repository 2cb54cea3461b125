// Named points at which a test can kill this process, to prove what a crash there leaves behind. Without
// HONE_CRASH_AT (`name` or `name:nth`) they do nothing.
const [, crashName, nth = '1'] = /^(.*?)(?::(\d+))?$/.exec(process.env.HONE_CRASH_AT ?? '')!
let left = Number(nth)

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

export type CrashPoint = CallPoint | EffectPoint

export function crashPoint(name: CrashPoint): void {
  if (crashName === name && --left === 0) process.kill(process.pid, 'SIGKILL')
}

/** Runs the effects of a list, each between two crash points, so that none can be without them. */
export function effectRunner<Name extends string>(_names: readonly Name[]) {
  return async <Result>(name: Name, act: () => Promise<Result>): Promise<Result> => {
    crashPoint(`before:${name}`)
    const result = await act()
    crashPoint(`after:${name}`)
    return result
  }
}
