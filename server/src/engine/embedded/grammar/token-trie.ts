// All tokens of a vocabulary as one tree of bytes, laid out in reading order: a node's children follow it,
// and `end` says where its subtree stops.
export type TokenTrie = {
  byte: Uint8Array
  end: Int32Array
  /** Tokens that end at each node; most nodes have none, and tokens may share their bytes. */
  tokens: (readonly number[] | undefined)[]
  longestTokenBytes: number
  vocabSize: number
}

/** Node 0 is the root. Null entries (marks, unused ids) are in no grammar. */
export function tokenTrie(bytes: readonly (Uint8Array | null)[]): TokenTrie {
  const sorted = bytes
    .flatMap((spelling, id) => (spelling && spelling.length > 0 ? [{ id, spelling }] : []))
    .sort((a, b) => Buffer.compare(a.spelling, b.spelling) || a.id - b.id)
  const byte: number[] = [0]
  const end: number[] = [0]
  const tokens: (number[] | undefined)[] = [undefined]
  let path = [0]
  let previous = new Uint8Array()
  for (const { id, spelling } of sorted) {
    const shared = sharedLength(previous, spelling)
    for (const node of path.slice(shared + 1)) end[node] = byte.length
    path = path.slice(0, shared + 1)
    for (const next of spelling.subarray(shared)) {
      path.push(byte.length)
      byte.push(next)
      end.push(0)
      tokens.push(undefined)
    }
    const last = path.at(-1)!
    tokens[last] = [...(tokens[last] ?? []), id]
    previous = Uint8Array.from(spelling)
  }
  for (const node of path) end[node] = byte.length
  return {
    byte: Uint8Array.from(byte),
    end: Int32Array.from(end),
    tokens,
    longestTokenBytes: sorted.reduce(
      (longest, token) => Math.max(longest, token.spelling.length),
      1,
    ),
    vocabSize: bytes.length,
  }
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
