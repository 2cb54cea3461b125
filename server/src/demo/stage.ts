// What every act of the demo has at hand.
import type { Client } from './client.ts'
import type { Printout } from './printout.ts'

export type Stage = {
  client: Client
  paper: Printout
  /** Aborted when the demo is to end at once. */
  signal: AbortSignal
  /** Less training and fewer questions, at the price of more mistakes. */
  quick: boolean
}
