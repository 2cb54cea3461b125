// Replaces the sensitive values of many texts in one scan, which costs far less than a scan of each.
import { type Found, type Kind, markerOf } from './kinds.ts'
import { normalize } from './normalize.ts'
import { scan } from './scan.ts'

export type Segment = {
  text: string
  /** What the text goes by, such as its key in an object; it may say what the text is. */
  name: string
}

export type RedactedSegments = {
  texts: string[]
  found: Found
  /** Characters looked at, as often as they were: what the work was. */
  steps: number
}

type Place = { kind: Kind; start: number; end: number }

const nameMax = 64
/** Texts are scanned together up to so many characters, so that memory is bounded by the longest text. */
const togetherMax = 256 * 1024
/** Nothing but `::1` is shorter. */
const valueMin = 6

export function redactSegments(segments: readonly Segment[]): RedactedSegments {
  const result: RedactedSegments = { texts: [], found: {}, steps: 0 }
  let batch: Segment[] = []
  let length = 0
  for (const segment of segments) {
    batch.push(segment)
    length += segment.text.length
    if (length > togetherMax) flush()
  }
  flush()
  return result

  function flush(): void {
    redactBatch(batch, result)
    batch = []
    length = 0
  }
}

function redactBatch(segments: Segment[], result: RedactedSegments): void {
  let all = ''
  const starts: number[] = []
  for (const { text, name } of segments) {
    if (isTooShort(text)) {
      starts.push(-1)
      continue
    }
    if (all !== '') all += '\f'
    if (name !== '') all += `${name.slice(-nameMax)}: `
    starts.push(all.length)
    all += text
  }
  const { places, steps } = findPlaces(all)
  result.steps += steps
  const taken = new PlaceTaker(places, result.found)
  for (const [index, { text }] of segments.entries()) {
    const start = starts[index]!
    result.texts.push(start === -1 ? text : taken.replaceIn(text, start))
  }
}

function isTooShort(text: string): boolean {
  return text.length < valueMin && !text.includes('::')
}

export function findPlaces(text: string): { places: Place[]; steps: number } {
  const page = normalize(text)
  const places: Place[] = []
  for (const { kind, start, end } of scan(page)) {
    const from = page.places ? page.places.starts[start]! : start
    const to = page.places ? page.places.ends[end - 1]! : end
    // Two values may meet inside one escaped character.
    const at = Math.max(from, places.at(-1)?.end ?? 0)
    if (to > at) places.push({ kind, start: at, end: to })
  }
  return { places, steps: page.steps }
}

/** Replaces places in texts that are asked for in the order in which they stand. */
export class PlaceTaker {
  readonly #places: readonly Place[]
  readonly #found: Found
  #next = 0
  #counted = 0

  constructor(places: readonly Place[], found: Found) {
    this.#places = places
    this.#found = found
  }

  /** For a text that stands at this offset; `keeps` tells of places that are to be left. */
  replaceIn(text: string, offset: number, keeps: (place: Place) => boolean = () => false): string {
    const end = offset + text.length
    while ((this.#places[this.#next]?.end ?? Infinity) <= offset) this.#next++
    let at = this.#next
    if ((this.#places[at]?.start ?? Infinity) >= end) return text
    const pieces: string[] = []
    let from = offset
    for (; (this.#places[at]?.start ?? Infinity) < end; at++) {
      const place = this.#places[at]!
      if (keeps(place)) continue
      pieces.push(text.slice(from - offset, Math.max(place.start, offset) - offset))
      // A value that reaches into several texts has its marker in each, and counts once.
      pieces.push(markerOf(place.kind))
      if (at >= this.#counted) {
        this.#found[place.kind] = (this.#found[place.kind] ?? 0) + 1
        this.#counted = at + 1
      }
      from = Math.min(place.end, end)
    }
    pieces.push(text.slice(from - offset))
    return pieces.join('')
  }
}
