// A set of token ids, one bit each.
export type TokenSet = Uint32Array

export function tokenSet(vocabSize: number, ids: Iterable<number> = []): TokenSet {
  const set = new Uint32Array(Math.ceil(vocabSize / 32))
  for (const id of ids) addToken(set, id)
  return set
}

export function addToken(set: TokenSet, id: number): void {
  set[id >>> 5]! |= 1 << (id & 31)
}

export function hasToken(set: TokenSet, id: number): boolean {
  return ((set[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0
}

export function addAll(set: TokenSet, other: TokenSet): void {
  for (let word = 0; word < set.length; word++) set[word]! |= other[word] ?? 0
}

export function isEmpty(set: TokenSet): boolean {
  return set.every((word) => word === 0)
}
