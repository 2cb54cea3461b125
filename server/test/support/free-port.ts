// A port that nothing uses, for a Hone that has to be asked before it could say which one it took.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that a system hands out by itself: between the look here and its use nobody else is given one of these. */
const lowest = 20_000
const highest = 32_000

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
