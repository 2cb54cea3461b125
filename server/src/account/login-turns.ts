// Who may try a password right now. Each try costs trips to the database and a hash that is slow on purpose, so a flood of
// them waits here, where it keeps nobody from the database who does something else.
import { loginTriesPerMinute } from '#contract/limits.ts'
import { Refusal } from '../core/refusal.ts'
import { NoTurn, Turns } from '../lib/turns.ts'

const limits = { atOnce: 4, waitingMax: 200, waitMs: 5000 }
/** More than can pass the limit on bad tries, so that only a flood meets it. */
const perAddressMax = 2 * loginTriesPerMinute

export class LoginTurns {
  readonly #turns = new Turns(limits)
  readonly #byAddress = new Map<string, number>()

  async run<Result>(address: string, act: () => Promise<Result>): Promise<Result> {
    const before = this.#byAddress.get(address) ?? 0
    if (before >= perAddressMax) {
      throw new Refusal(
        'RATE_LIMITED',
        'Too many attempts at once from your address; wait 1 second and try again.',
        { retryAfterSeconds: 1 },
      )
    }
    this.#byAddress.set(address, before + 1)
    try {
      return await this.#turns.run(act)
    } catch (error) {
      if (!(error instanceof NoTurn)) throw error
      throw new Refusal(
        'UNAVAILABLE',
        'Too many people are signing in right now; try again in a moment.',
        {
          retryAfterSeconds: 2,
        },
      )
    } finally {
      const left = (this.#byAddress.get(address) ?? 1) - 1
      if (left === 0) this.#byAddress.delete(address)
      else this.#byAddress.set(address, left)
    }
  }
}
