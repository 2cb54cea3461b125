// What a search has learnt on its way about how often the text and the selection fit, and how far to go next.

/** What is still missing for the page and for the count. */
export type Missing = { page: number; count: number }

/** With the page full, this many texts are looked at and no more, however few of them were counted. */
const textsForCount = 300
const batchMin = 64
const batchMax = 4096
/** The first batch; from then on each is a few times what was seen before, since what was seen may mislead. */
const batchFirst = 300
const batchGrowth = 3
const segmentsAtOnceMax = 128
/** As many candidates as must have been looked at before it can be said how many fit. */
const scanAfter = 100
/** Asked for a little more than the rates say, because asking again costs more. */
const margin = 1.2

export class Pace {
  readonly #segments: number
  readonly #samples: number
  readonly #narrowed: boolean
  #looked = { samples: 0, candidates: 0 }
  #checked = 0
  #fitting = 0
  #scanned = 0

  constructor(segments: readonly { samples: number }[], narrowed: boolean) {
    this.#segments = segments.length
    this.#samples = segments.reduce((sum, segment) => sum + segment.samples, 0)
    this.#narrowed = narrowed
  }

  noteCandidates(samples: number, candidates: number): void {
    this.#looked.samples += samples
    this.#looked.candidates += candidates
  }

  noteChecked(checked: number, fitting: number): void {
    this.#checked += checked
    this.#fitting += fitting
  }

  /** True when there is no more to be done, or not for the count alone. */
  isDone({ page, count }: Missing): boolean {
    return page <= 0 && (count <= 0 || this.#checked + this.#scanned >= textsForCount)
  }

  /** How many candidates to look at next. */
  batchSize(missing: Missing): number {
    return this.#bounded(this.#toCheck(missing), this.#checked)
  }

  /** In how many segments to look for that many. */
  segmentsFor(missing: Missing): number {
    const samples = (this.batchSize(missing) / this.#candidateRate) * margin
    const segments = Math.ceil((samples * this.#segments) / this.#samples)
    return Math.min(segmentsAtOnceMax, Math.max(1, segments))
  }

  /** True when few samples are selected and many hold the text, so that looking at the selected ones is less work. */
  shouldScan(missing: Missing): boolean {
    if (!this.#narrowed || this.#checked < scanAfter) return false
    const candidates = this.#candidateRate * this.#samples - this.#checked
    const selected = this.#hitRate * this.#samples
    const toScan = Math.min(selected, Math.max(missing.page, 0) / this.#candidateRate)
    return toScan * 2 < Math.min(candidates, this.#toCheck(missing))
  }

  noteScanned(scanned: number): void {
    this.#scanned += scanned
  }

  /** How many selected samples to look at next. */
  scanSize({ page, count }: Missing): number {
    const forCount = Math.min(count / this.#candidateRate, textsForCount)
    const toScan = Math.max(page / this.#candidateRate, forCount) * margin
    return this.#bounded(toScan, this.#checked + this.#scanned)
  }

  #bounded(size: number, seen: number): number {
    const most = Math.min(batchMax, Math.max(batchFirst, seen * batchGrowth))
    return Math.round(Math.min(most, Math.max(batchMin, size)))
  }

  #toCheck({ page, count }: Missing): number {
    const forCount = Math.min(count / this.#hitRate, textsForCount - this.#checked)
    return Math.max(page / this.#hitRate, forCount) * margin
  }

  /** Of the candidates, the part that fits. */
  get #hitRate(): number {
    return this.#checked === 0 ? 1 : (this.#fitting + 0.5) / (this.#checked + 1)
  }

  /** Of the samples, the part that are candidates. */
  get #candidateRate(): number {
    return (this.#looked.candidates + 0.5) / (this.#looked.samples + 1)
  }
}
