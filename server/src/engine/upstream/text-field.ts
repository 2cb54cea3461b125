// Where whole answers of a dialect have their text. A long one is read apart from what stands around it, so that its JSON is
// at hand for whoever writes it again.
import { openingOf, standIn, takeOut } from '../../lib/json-in-json.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { parseObject } from './read-json.ts'

/** What holds the text, and the JSON the text was read from. */
type LongText = { holder: Json; json: string }

export class TextField {
  readonly #name: string
  readonly #opening: RegExp
  readonly #holdersIn: (answer: Json) => readonly unknown[]

  /** Under which name the text stands, and in what. */
  constructor(name: string, holdersIn: (answer: Json) => readonly unknown[]) {
    this.#name = name
    this.#opening = openingOf(name)
    this.#holdersIn = holdersIn
  }

  parse(data: string): { answer: Json; long: LongText | null } {
    try {
      const apart = this.#parseApart(data)
      if (apart) return apart
    } catch {
      // Read as it came, it says itself what is wrong with it.
    }
    return { answer: parseObject(data), long: null }
  }

  #parseApart(data: string): { answer: Json; long: LongText } | null {
    const parts = takeOut(data, this.#opening)
    if (!parts) return null
    const answer = parseObject(parts.around)
    const holder = this.#holdersIn(answer)
      .filter(isObject)
      .find((one) => one[this.#name] === standIn)
    if (!holder) return null
    holder[this.#name] = JSON.parse(parts.taken) as string
    return { answer, long: { holder, json: parts.taken } }
  }
}
