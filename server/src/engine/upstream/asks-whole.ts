// Whether a server is asked for its answer in one piece. Where it goes on with a begun turn, older llama.cpp repeats that turn in a
// whole answer, and in a stream it does not.
import type { EngineCall } from '../engine.ts'
import { continuesTurn } from './continues-turn.ts'

export function asksWhole({ whole, request }: EngineCall): boolean {
  return whole === true && !continuesTurn(request)
}
