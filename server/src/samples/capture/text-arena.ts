// Texts on their way to the thread that records, in memory that both threads see. As strings they would be copied into a
// message and out of it, and live just long enough to fill the memory of the thread that serves calls until a full collection.

export type TextPlace = { at: number; bytes: number }

const slabBytes = 1024 * 1024
/** As much as may wait: memory that no text was written to is only promised. */
const slabsDefault = 128
/** Of a character as strings count them. */
const characterBytesMax = 3

/** Filled slab by slab; a slab whose texts were all freed is filled again. Those used last come first, so that few are touched. */
export class TextArena {
  readonly memory: SharedArrayBuffer
  readonly #bytes: Buffer
  readonly #empty: number[]
  /** How many texts each slab holds. */
  readonly #texts: Uint32Array
  #slab: number | null = null
  /** Where the next text begins. */
  #end = 0

  constructor(slabs = slabsDefault) {
    this.memory = new SharedArrayBuffer(slabs * slabBytes)
    this.#bytes = Buffer.from(this.memory)
    this.#empty = Array.from({ length: slabs }, (_, index) => slabs - 1 - index)
    this.#texts = new Uint32Array(slabs)
  }

  /** Null where there is no room, now or for a text so large. */
  write(text: string): TextPlace | null {
    const most = characterBytesMax * text.length
    if (most > slabBytes) return null
    if (this.#slab === null || this.#end + most > (this.#slab + 1) * slabBytes) {
      const next = this.#empty.pop()
      if (next === undefined) return null
      this.#slab = next
      this.#end = next * slabBytes
    }
    const at = this.#end
    const bytes = this.#bytes.write(text, at)
    this.#end += bytes
    this.#texts[this.#slab]! += 1
    return { at, bytes }
  }

  free({ at }: TextPlace): void {
    const slab = Math.floor(at / slabBytes)
    this.#texts[slab]! -= 1
    if (this.#texts[slab] !== 0) return
    if (slab === this.#slab) this.#end = slab * slabBytes
    else this.#empty.push(slab)
  }

  read(place: TextPlace): string {
    return textAt(this.#bytes, place)
  }
}

export function textAt(memory: Buffer, { at, bytes }: TextPlace): string {
  return memory.toString('utf8', at, at + bytes)
}
