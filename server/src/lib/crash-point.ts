// Named points at which a test can kill this process, to prove what a crash there leaves behind. Without
// HONE_CRASH_AT (`name` or `name:nth`) they do nothing.
const [crashName, nth = '1'] = (process.env.HONE_CRASH_AT ?? '').split(':')
let left = Number(nth)

export type CrashPoint =
  | 'admitted'
  | 'sent'
  | 'first-byte'
  | 'usage-seen'
  | 'last-byte'
  | 'written-down'
  | 'before-commit'
  | 'after-commit'

export function crashPoint(name: CrashPoint): void {
  if (crashName === name && --left === 0) process.kill(process.pid, 'SIGKILL')
}
