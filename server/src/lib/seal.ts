// Texts encrypted for one place: opened with another key or for another place, or changed by a bit, they are nothing.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** The place is not part of what is sealed; who opens it has to name the same. */
export function seal(key: Uint8Array, place: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Null for what this key did not seal for this place. */
export function openSealed(key: Uint8Array, place: string, sealed: Buffer): string | null {
  try {
    const nonce = sealed.subarray(0, nonceBytes)
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
    const opened = decipher.update(sealed.subarray(nonceBytes + tagBytes))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
