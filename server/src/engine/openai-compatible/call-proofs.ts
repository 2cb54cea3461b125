// Gemini signs the tool calls that its thoughts led to, and refuses a conversation in which such a call comes back without its
// signature. Neither dialect has a place for it that every client passes back, except the id of the call: so it travels there,
// and servers of this dialect see no more of that id than one of them gave.
import { createHash } from 'node:crypto'
import { isObject, type Json } from '../../lib/json-object.ts'

const mark = '_proof_'
const tagLength = 8

/** The signatures of one server, which no other is shown. */
export class CallProofs {
  readonly #tag: string

  constructor(baseUrl: string) {
    this.#tag = createHash('sha256').update(baseUrl).digest('base64url').slice(0, tagLength)
  }

  /** The id by which clients know a call. */
  idWith(id: string, proof: string): string {
    return `${id}${mark}${this.#tag}${Buffer.from(proof).toString('base64url')}`
  }

  /** What goes back to the server beside a call; nothing where it signed none. */
  fieldsOf(id: string): Json {
    const at = id.lastIndexOf(mark)
    if (at === -1 || !id.startsWith(this.#tag, at + mark.length)) return {}
    const proof = Buffer.from(id.slice(at + mark.length + tagLength), 'base64url').toString()
    return { extra_content: { google: { thought_signature: proof } } }
  }
}

const signed = new RegExp(`${mark}[\\w-]{${tagLength + 2},}$`)

/** The id as the server gave it, whichever that was. */
export function bareId(id: string): string {
  const at = id.lastIndexOf(mark)
  return at !== -1 && signed.test(id.slice(at)) ? id.slice(0, at) : id
}

/** The signature of a call, or of its first fragment. */
export function proofIn({ extra_content: extra }: Json): string | null {
  const google = isObject(extra) ? extra.google : null
  const proof = isObject(google) ? google.thought_signature : null
  return typeof proof === 'string' && proof !== '' ? proof : null
}
