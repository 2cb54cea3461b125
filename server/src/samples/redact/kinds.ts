// The kinds of sensitive values and the marker that takes a value's place. Spec 2, sample: a marker of the form
// redacted:<kind>; the brackets around it keep it one piece in prose, in URLs and inside JSON texts.

/** In order of weight: where two values overlap, the marker names the first of their kinds. */
export const kinds = [
  /** PEM, OpenSSH, PGP and PuTTY private keys, whole or cut off. */
  'private_key',
  /** JSON web tokens, signed, unsigned or encrypted. */
  'jwt',
  /** Access keys, secret keys and signatures of the large clouds. */
  'cloud_key',
  /** Keys and tokens of other vendors, bearer tokens, passwords. */
  'key',
  /** Payment card numbers. */
  'card',
  /** National identity, social security and personal tax numbers. */
  'national_id',
  'email',
  /** IPv4 and IPv6 addresses. */
  'ip',
] as const

export type Kind = (typeof kinds)[number]

/** How many values of each kind were replaced; kinds that were not there are left out. */
export type Found = Partial<Record<Kind, number>>

const opening = '[redacted:'
const markers = new Map<Kind, string>(kinds.map((kind) => [kind, `${opening}${kind}]`]))

export function markerOf(kind: Kind): string {
  return markers.get(kind)!
}

/** The marker that stands at this place of a text, if one does. */
export function markerAt(text: string, at: number): { kind: Kind; length: number } | null {
  const isLike = text.charCodeAt(at + 1) === opening.charCodeAt(1) && text.startsWith(opening, at)
  if (!isLike) return null
  const first = text.charCodeAt(at + opening.length)
  for (const kind of kinds) {
    if (kind.charCodeAt(0) !== first) continue
    const marker = markerOf(kind)
    if (text.startsWith(marker, at)) return { kind, length: marker.length }
  }
  return null
}

export function addFound(sum: Found, more: Found): void {
  for (const kind of kinds) {
    const count = more[kind]
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count
  }
}
