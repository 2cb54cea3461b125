// Finds which of many words begins at a place, in one walk: the beginnings of tokens, names of secrets, words of
// context. It ignores case and takes space, `-` and `_` for the same; who needs more looks again.
import { codeOf } from './characters.ts'
import { foldCharacter } from './fold-character.ts'
import type { Page } from './page.ts'

const symbols = new Uint8Array(0x10000)
let symbolCount = 1

function symbolOf(code: number): number {
  if (symbols[code] === 0) symbols[code] = symbolCount++
  return symbols[code]!
}

for (const character of 'abcdefghijklmnopqrstuvwxyz') {
  symbols[character.toUpperCase().charCodeAt(0)] = symbolOf(character.charCodeAt(0))
}
for (const code of [codeOf.dash, codeOf.underscore]) symbols[code] = symbolOf(codeOf.space)

export class WordTrie<Entry> {
  #next: Uint16Array[] = [new Uint16Array(256)]
  #entries: (Entry[] | null)[] = [null]

  add(word: string, entry: Entry): void {
    let node = 0
    for (const character of word.toLowerCase()) {
      const symbol = symbolOf(foldCharacter(character.charCodeAt(0)))
      let next = this.#next[node]![symbol]!
      if (next === 0) {
        next = this.#next.length
        this.#next[node]![symbol] = next
        this.#next.push(new Uint16Array(256))
        this.#entries.push(null)
      }
      node = next
    }
    this.#entries[node] = [...(this.#entries[node] ?? []), entry]
  }

  /** Tells each entry whose word begins here, with where the word ends. */
  walk(page: Page, start: number, tell: (entry: Entry, start: number, end: number) => void): void {
    let node = 0
    let at = start
    while (at < page.length) {
      node = this.#next[node]![symbols[page.codes[at]!]!]!
      if (node === 0) break
      at++
      const entries = this.#entries[node]
      if (entries) for (const entry of entries) tell(entry, start, at)
    }
    page.steps += at - start + 1
  }

  /** Whether any word begins here. */
  begins(page: Page, start: number): boolean {
    let node = 0
    for (let at = start; at < page.length; at++) {
      node = this.#next[node]![symbols[page.codes[at]!]!]!
      if (node === 0) break
      page.steps++
      if (this.#entries[node]) return true
    }
    return false
  }
}

export function isTrieSymbol(code: number): boolean {
  return symbols[code] !== 0
}
