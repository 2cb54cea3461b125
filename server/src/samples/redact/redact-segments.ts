// Replaces the sensitive values of many texts in one scan, which costs far less than a scan of each.
import { type Found, type Kind, markerOf } from './kinds.ts'
import { Findings, type Span } from './findings.ts'
import { normalize } from './normalize.ts'
import type { Page } from './page.ts'
import { PlaceReader } from './places.ts'
import { scan } from './scan.ts'
import { isTooShort } from './too-short.ts'

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
export function redactSegments(segments: readonly Segment[]): RedactedSegments {
  const result: RedactedSegments = { texts: [], found: {}, steps: 0 }
  let from = 0
  let length = 0
  for (let index = 0; index < segments.length; index++) {
    length += segments[index]!.text.length
    if (length <= togetherMax && index < segments.length - 1) continue
    redactBatch(segments, from, index + 1, result)
    from = index + 1
    length = 0
  }
  return result
}

function redactBatch(
  segments: readonly Segment[],
  from: number,
  to: number,
  result: RedactedSegments,
): void {
  let all = ''
  const starts: number[] = []
  for (let index = from; index < to; index++) {
    const { text, name } = segments[index]!
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
  for (let index = from; index < to; index++) {
    const { text } = segments[index]!
    const start = starts[index - from]!
    result.texts.push(start === -1 || places.length === 0 ? text : taken.replaceIn(text, start))
  }
}

type FoundPlaces = { places: Place[]; steps: number }

export function findPlaces(text: string): FoundPlaces {
  if (text === '') return { places: [], steps: 0 }
  const page = normalize(text)
  const places = placesOf(page, scan(page))
  return page.encoded === null
    ? { places, steps: page.steps }
    : withEncoded(page, page.encoded, places)
}

function placesOf(page: Page, spans: Span[]): Place[] {
  if (page.places === null) return spans
  const reader = new PlaceReader(page.places)
  const places: Place[] = []
  for (const { kind, start, end } of spans) {
    const from = reader.startOf(start)
    const to = reader.endOf(end - 1)
    // Two values may meet inside one escaped character.
    const at = Math.max(from, places.at(-1)?.end ?? 0)
    if (to > at) places.push({ kind, start: at, end: to })
  }
  return places
}

/** An encoded text that says anything sensitive is one place as a whole. What is encoded inside it again is not read. */
function withEncoded(
  page: Page,
  encoded: NonNullable<Page['encoded']>,
  places: Place[],
): FoundPlaces {
  let steps = page.steps
  const all = new Findings()
  for (const { kind, start, end } of places) all.add(kind, start, end)
  // The page is not good any more once another text is read.
  const written = placesOf(
    page,
    encoded.map(({ start, end }) => ({ kind: 'key', start, end })),
  )
  for (const [index, { start, end }] of written.entries()) {
    const inside = normalize(encoded[index]!.text)
    const spans = scan(inside)
    steps += inside.steps
    for (const { kind } of spans) all.add(kind, start, end)
  }
  return { places: all.spans(), steps }
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
  replaceIn(text: string, offset: number, keeps?: (place: Place) => boolean): string {
    const places = this.#places
    const end = offset + text.length
    let at = this.#next
    while (at < places.length && places[at]!.end <= offset) at++
    this.#next = at
    let replaced = ''
    let from = offset
    for (; at < places.length; at++) {
      const place = places[at]!
      if (place.start >= end) break
      if (keeps?.(place)) continue
      // A value that reaches into several texts has its marker in each, and counts once.
      replaced +=
        text.slice(from - offset, Math.max(place.start, offset) - offset) + markerOf(place.kind)
      if (at >= this.#counted) {
        this.#found[place.kind] = (this.#found[place.kind] ?? 0) + 1
        this.#counted = at + 1
      }
      from = Math.min(place.end, end)
    }
    return replaced === '' ? text : replaced + text.slice(from - offset)
  }
}
