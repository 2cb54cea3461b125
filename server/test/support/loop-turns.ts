// Every turn of the event loop reads what has come to its sockets. A timer alone may be late and fire before that, where the
// machine is busy, so whoever wants something to be read on the other side of a connection in this process waits for turns.
import { setImmediate as turn } from 'node:timers/promises'

const enough = 10

export async function loopTurns(): Promise<void> {
  for (let i = 0; i < enough; i++) await turn()
}
