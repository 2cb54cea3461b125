// Bounds what a process can lose when it is killed: an answer that was delivered and whose charge is neither in the journal nor
// in the ledger is lost, so never more answers may be in that state than calls are in flight. One more has to wait. So it has to where
// the ledger is far behind: what lies in a journal is safe from a kill, and not from a disk that breaks.
import { StorageUnavailable } from '../storage/storage-unavailable.ts'

/** Charges that may be in the journal alone; as many as calls are in flight are always allowed. */
const journalledMax = 2048
/** When answers have waited for so long, new calls are not begun before charges are written again. */
const stalledMs = 250
const waitMsMax = 4000

type Waiting = Map<() => void, number>

export type PendingCharges = {
  /** Neither in the journal nor in the ledger. */
  unsafe(): number
  /** Not in the ledger. */
  pending(): number
}

export class DeliveryGate {
  readonly #charges: PendingCharges
  #inFlight = 0
  /** Answers that may be going out right now. */
  #leaving = 0
  readonly #answers: Waiting = new Map()
  readonly #calls: Waiting = new Map()

  constructor(charges: PendingCharges) {
    this.#charges = charges
  }

  /** How many answers may be delivered and not written down. */
  get unwrittenMax(): number {
    return Math.max(1, this.#inFlight)
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

  /** Charges are in the journal. */
  chargesSafe(): void {
    this.#letAnswersPass()
  }

  /** Charges are in the ledger. */
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
    const room = this.unwrittenMax
    if (this.#leaving + this.#charges.unsafe() >= room) return false
    if (this.#leaving + this.#charges.pending() >= Math.max(room, journalledMax)) return false
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
