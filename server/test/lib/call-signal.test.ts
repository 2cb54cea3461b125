// What a call's signal has in common with a real AbortSignal, side by side with one, and how it becomes one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abortSignalOf, CallSignal, type LeaveSignal } from '#server/lib/call-signal.ts'

type Raised = { signal: LeaveSignal; abort: (why?: Error) => void }

const kinds: Record<string, () => Raised> = {
  'of a call'() {
    const signal = new CallSignal()
    return { signal, abort: (why) => signal.abort(why) }
  },
  'a real one'() {
    const controller = new AbortController()
    return { signal: controller.signal, abort: (why) => controller.abort(why) }
  },
}

for (const [kind, make] of Object.entries(kinds)) {
  test(`${kind}: listeners hear of it once, in order, and not after they left`, () => {
    const { signal, abort } = make()
    const heard: string[] = []
    const twice = (): void => void heard.push('twice added')
    const left = (): void => void heard.push('left')
    const leftFirst = (): void => void heard.push('left, though it was the first')
    signal.addEventListener('abort', leftFirst)
    signal.addEventListener('abort', () => heard.push('first'))
    signal.addEventListener('abort', twice)
    signal.addEventListener('abort', twice)
    signal.addEventListener('abort', left)
    signal.removeEventListener('abort', left)
    signal.removeEventListener('abort', leftFirst)
    signal.removeEventListener('abort', () => {})
    assert.equal(signal.aborted, false)
    signal.throwIfAborted()
    abort()
    abort(new Error('too late'))
    signal.addEventListener('abort', () => heard.push('late'))
    assert.deepEqual(heard, ['first', 'twice added'])
    assert.equal(signal.aborted, true)
    assert.equal((signal.reason as Error).name, 'AbortError')
    assert.throws(() => signal.throwIfAborted(), { name: 'AbortError' })
  })

  test(`${kind}: a reason is kept`, () => {
    const { signal, abort } = make()
    const why = new Error('the server is being stopped')
    let seen: unknown = null
    signal.addEventListener('abort', () => (seen = signal.reason))
    abort(why)
    assert.equal(seen, why)
    assert.throws(() => signal.throwIfAborted(), why)
  })

  test(`${kind}: it becomes a real one that is raised with it, or is raised already`, () => {
    const { signal, abort } = make()
    const real = abortSignalOf(signal)
    assert.equal(real instanceof AbortSignal, true)
    assert.equal(real.aborted, false)
    const why = new Error('gone')
    abort(why)
    assert.equal(real.reason, why)
    assert.equal(abortSignalOf(signal).reason, why)
  })
}
