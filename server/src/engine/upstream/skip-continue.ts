// A server may say `100 Continue` before its answer, although nobody waits for that word, and a client has to bear it. undici
// gives up the connection instead; so the word is taken out of what comes before undici reads it.
import type { Socket } from 'node:net'

/** Heads begin with `HTTP/1.1 ` and a status, and nearly all of them are not looked at any further. */
const [capitalH, one] = [0x48, 0x31]
const statusAt = 9
/** No part of an answer looks like it: JSON ends a text with a quotation mark, and writes line breaks in other characters. */
const saying = /^HTTP\/1\.[01] 100( [A-Za-z ]*)?\r\n([\w-]+:[^\r\n]*\r\n)*\r\n/
const headBytesMax = 1024

export function skipContinue(socket: Socket): void {
  const read: Socket['read'] = socket.read.bind(socket)
  socket.read = (size) => {
    for (;;) {
      const piece = read(size) as Buffer | null
      if (piece?.[0] !== capitalH || piece[statusAt] !== one) return piece
      const rest = withoutContinue(piece)
      if (rest.length > 0) return rest
    }
  }
}

function withoutContinue(piece: Buffer): Buffer {
  let rest = piece
  for (;;) {
    const said = saying.exec(rest.toString('latin1', 0, headBytesMax))
    if (!said) return rest
    rest = rest.subarray(said[0].length)
  }
}
