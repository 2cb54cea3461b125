// Bounds what a process can lose when it is killed: an answer that was delivered and is not in the ledger yet is lost, so
// never more answers may be in that state than calls are in flight, or four. One more has to wait until charges were written.
import { StorageUnavailable } from '../storage/storage-unavailable.ts'

/** A few callers need not wait for their last charge, nor have it written alone. */
const unwrittenMin = 4
/** When answers have waited for so long, new calls are not begun before charges are written again. */
const stalledMs = 250
const waitMsMax = 4000

type Waiting = Map<() => void, number>

export class DeliveryGate {
  /** Charges on their way into the ledger. */
  readonly #unwritten: () => number
  #inFlight = 0
  /** Answers that may be going out right now. */
  #leaving = 0
  readonly #answers: Waiting = new Map()
  readonly #calls: Waiting = new Map()

  constructor(unwritten: () => number) {
    this.#unwritten = unwritten
  }

  /** How many answers may be delivered and not written down. */
  get unwrittenMax(): number {
    return Math.max(unwrittenMin, this.#inFlight)
  }

  get someoneWaits(): boolean {
    return this.#answers.size > 0
  }

  /** A new call would only join the answers that wait, at the cost of its model. */
  mayBegin(): undefined | Promise<void> {
    const [oldest] = this.#answers.values()
    if (oldest === undefined || performance.now() - oldest < stalledMs) return
    return wait(this.#calls)
  }

  began(): void {
    this.#inFlight += 1
    this.#letAnswersPass()
  }

  ended(): void {
    this.#inFlight -= 1
  }

  /** Takes the place of an answer that goes out: at once, or when there is one. */
  mayDeliver(): undefined | Promise<void> {
    if (!this.someoneWaits && this.#takePlace()) return
    return wait(this.#answers)
  }

  /** The answer is out and its charge on the way, or it will not go out. */
  left(): void {
    this.#leaving -= 1
    this.#letAnswersPass()
  }

  chargesWritten(): void {
    this.#letAnswersPass()
    for (const go of this.#calls.keys()) go()
  }

  #letAnswersPass(): void {
    for (const go of this.#answers.keys()) {
      if (!this.#takePlace()) return
      go()
    }
  }

  #takePlace(): boolean {
    if (this.#leaving + this.#unwritten() >= this.unwrittenMax) return false
    this.#leaving += 1
    return true
  }
}

function wait(among: Waiting): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      among.delete(go)
      reject(new StorageUnavailable(new Error('charges wait for the database')))
    }, waitMsMax)
    const go = (): void => {
      clearTimeout(timer)
      among.delete(go)
      resolve()
    }
    among.set(go, performance.now())
  })
}
