// Keeps `process.nextTick` fast. The engine forgets the shape of its small objects at a full collection that finds none of
// them alive, and from then on makes each the slow way: five times the time, a dozen times a call. One that stays alive
// keeps the shape.
import { createHook } from 'node:async_hooks'

let kept: object | null = null

/** Once in each thread that serves or talks to the database. */
export function keepTickShape(): void {
  if (kept !== null) return
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept = resource
    },
  })
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
}
