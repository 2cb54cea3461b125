// Finds which of many words begins at a place, in one walk: the beginnings of tokens, names of secrets, words of
// context. It ignores case and takes space, `-` and `_` for the same; who needs more looks again.
import { codeOf } from './characters.ts'
import { foldCharacter } from './fold-character.ts'
import type { Page } from './page.ts'

/** More than all words together are made of. */
const symbolsMax = 256
const symbols = new Uint8Array(0x10000)
let symbolCount = 1

function symbolOf(code: number): number {
  if (symbols[code] === 0) {
    if (symbolCount === symbolsMax) throw new Error('The words have too many characters.')
    symbols[code] = symbolCount++
  }
  return symbols[code]!
}

for (const character of 'abcdefghijklmnopqrstuvwxyz') {
  symbols[character.toUpperCase().charCodeAt(0)] = symbolOf(character.charCodeAt(0))
}
for (const code of [codeOf.dash, codeOf.underscore]) symbols[code] = symbolOf(codeOf.space)

export class WordTrie<Entry> {
  /** The node behind each node and symbol; 0 where there is none. */
  #next = new Uint16Array(16 * symbolsMax)
  #entries: (Entry[] | null)[] = [null]

  add(word: string, entry: Entry): void {
    const small = word.toLowerCase()
    // The capitals of other scripts are characters of their own here, so each way of writing leads to a node of its own.
    const writings = [small, small.toUpperCase(), small[0]!.toUpperCase() + small.slice(1)]
    for (const node of new Set(writings.map((writing) => this.#nodeOf(writing)))) {
      this.#entries[node] = [...(this.#entries[node] ?? []), entry]
    }
  }

  #nodeOf(word: string): number {
    let node = 0
    for (const character of word) {
      node = this.#follow(node, symbolOf(foldCharacter(character.charCodeAt(0))))
    }
    return node
  }

  #follow(node: number, symbol: number): number {
    const step = node * symbolsMax + symbol
    if (this.#next[step] === 0) {
      const added = this.#entries.push(null) - 1
      if ((added + 1) * symbolsMax > this.#next.length) {
        const larger = new Uint16Array(2 * this.#next.length)
        larger.set(this.#next)
        this.#next = larger
      }
      this.#next[step] = added
    }
    return this.#next[step]!
  }

  /** Whether a word begins like this, or is this and its entry is wanted. */
  find(text: string, isWanted: (entry: Entry) => boolean): 'none' | 'part' | 'word' {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      node = this.step(node, text.charCodeAt(at))
      if (node === 0) return 'none'
    }
    if (this.#entries[node]?.some(isWanted)) return 'word'
    const from = node * symbolsMax
    return this.#next.subarray(from, from + symbolsMax).some((after) => after !== 0)
      ? 'part'
      : 'none'
  }

  /** The node behind a node, which is 0 at the start of a word, and a character; 0 when no word goes on so. */
  step(node: number, code: number): number {
    return this.#next[node * symbolsMax + symbols[code]!]!
  }

  /** The entries of the words that end at a node. */
  entriesAt(node: number): Entry[] | null {
    return this.#entries[node]!
  }

  /** Whether any word begins here. */
  begins(page: Page, start: number): boolean {
    let node = 0
    for (let at = start; at < page.length; at++) {
      node = this.step(node, page.codes[at]!)
      if (node === 0) break
      page.steps++
      if (this.#entries[node]) return true
    }
    return false
  }
}
