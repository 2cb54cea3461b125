// The samples that could be learned from, newest first, with the same few bytes for each: a selection may have hundreds of thousands.
import { KeyedRows } from './keyed-rows.ts'
import { idBytes, writeId } from './packed-ids.ts'
import type { QuestionKeys } from './question-keys.ts'

export const rowFlags = {
  /** It was held back before. */
  held: 1,
  /** A version learned it. */
  learned: 2,
  /** Its right answer is a judge's. */
  byJudge: 4,
  /** No version learned its right answer yet. */
  unlearned: 8,
  /** No attempt used its right answer yet. */
  unused: 16,
} as const

export type SelectedRow = {
  id: string
  signalId: string
  keys: QuestionKeys
  /** Those of `rowFlags` that hold, added up. */
  flags: number
  tokens: number
  /** Bytes of its line, without the line break. */
  lineBytes: number
}

const rowsAtFirst = 1024

export class SelectedRows {
  readonly keys = new KeyedRows()
  #count = 0
  #ids = Buffer.alloc(rowsAtFirst * idBytes)
  #signals = Buffer.alloc(rowsAtFirst * idBytes)
  #flags = new Uint8Array(rowsAtFirst)
  #tokens = new Uint32Array(rowsAtFirst)
  #lineBytes = new Uint32Array(rowsAtFirst)

  add({ id, signalId, keys, flags, tokens, lineBytes }: SelectedRow): void {
    const index = this.#count++
    if (index === this.#flags.length) this.#grow()
    writeId(this.#ids, index, id)
    writeId(this.#signals, index, signalId)
    this.keys.add(keys)
    this.#flags[index] = flags
    this.#tokens[index] = tokens
    this.#lineBytes[index] = lineBytes
  }

  get count(): number {
    return this.#count
  }

  get ids(): Buffer {
    return this.#ids
  }

  get signals(): Buffer {
    return this.#signals
  }

  get flags(): Uint8Array {
    return this.#flags
  }

  get tokens(): Uint32Array {
    return this.#tokens
  }

  get lineBytes(): Uint32Array {
    return this.#lineBytes
  }

  #grow(): void {
    this.#ids = Buffer.concat([this.#ids, Buffer.alloc(this.#ids.length)])
    this.#signals = Buffer.concat([this.#signals, Buffer.alloc(this.#signals.length)])
    const rows = 2 * this.#flags.length
    const flags = new Uint8Array(rows)
    flags.set(this.#flags)
    this.#flags = flags
    const tokens = new Uint32Array(rows)
    tokens.set(this.#tokens)
    this.#tokens = tokens
    const lineBytes = new Uint32Array(rows)
    lineBytes.set(this.#lineBytes)
    this.#lineBytes = lineBytes
  }
}
