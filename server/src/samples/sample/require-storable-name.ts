// Names that people choose and that are shown to others as they are: one that holds something sensitive is refused, because a
// marker or a fingerprint in its place would be no name.
import { Refusal } from '../../core/refusal.ts'
import { type Kind, kinds } from '../redact/kinds.ts'
import { redactText } from '../redact/redact-text.ts'

const called: Record<Kind, string> = {
  private_key: 'a private key',
  jwt: 'a JSON web token',
  cloud_key: 'a cloud key',
  key: 'a key, token or password',
  card: 'a card number',
  national_id: 'a national ID number',
  email: 'an e-mail address',
  ip: 'an IP address',
}

/** The sentence says what was found and not where, so that no log of answers holds what was not to be stored. */
export function requireStorableName(name: string): void {
  const { text, found } = redactText(name)
  if (text === name) return
  const kind = kinds.find((one) => found[one] !== undefined)
  throw new Refusal(
    'BAD_REQUEST',
    `body field name: looks like it holds ${kind ? called[kind] : 'a sensitive value'}, which is not stored; choose another.`,
  )
}
