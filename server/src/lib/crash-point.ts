// Named points at which a test can kill this process, to prove what a crash there leaves behind. Without
// HONE_CRASH_AT (`name` or `name:nth`) they do nothing.
const [, crashName, nth = '1'] = /^(.*?)(?::(\d+))?$/.exec(process.env.HONE_CRASH_AT ?? '') ?? []
let left = Number(nth)

export type CallPoint =
  | 'admitted'
  | 'sent'
  | 'first-byte'
  | 'usage-seen'
  | 'last-byte'
  | 'written-down'
  | 'before-commit'
  | 'after-commit'

/** Steps of background work that change something durable. */
export type EffectName = 'reserve' | 'charge' | 'release'

export type CrashPoint = CallPoint | `before:${EffectName}` | `after:${EffectName}`

export function crashPoint(name: CrashPoint): void {
  if (crashName === name && --left === 0) process.kill(process.pid, 'SIGKILL')
}

/** With a crash point before it and one after it. */
export async function effect<Name extends EffectName, Result>(
  name: Name,
  act: () => Promise<Result>,
): Promise<Result> {
  crashPoint(`before:${name}`)
  const result = await act()
  crashPoint(`after:${name}`)
  return result
}
