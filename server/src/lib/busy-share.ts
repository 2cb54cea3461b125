// How much of its time a thread has something to do, lately.
import { performance } from 'node:perf_hooks'

/** A few turns of the event loop say little, so looks that follow each other more closely see the same. */
const spanMsMin = 50

export class BusyShare {
  #utilization = performance.eventLoopUtilization()
  #sinceMs = performance.now()
  #share = 0

  /** 0 to 1, since it was asked before. */
  now(): number {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs < spanMsMin) return this.#share
    const utilization = performance.eventLoopUtilization()
    this.#share = performance.eventLoopUtilization(utilization, this.#utilization).utilization
    this.#utilization = utilization
    this.#sinceMs = nowMs
    return this.#share
  }
}
