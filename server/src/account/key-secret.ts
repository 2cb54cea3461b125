// How a key's secret is made and recognized. Only its SHA-256 is ever stored; the checksum lets a mistyped or
// made-up key be refused without asking the database, and lets scanners recognize a leaked one.
import { hash } from 'node:crypto'
import { randomBase62, toBase62 } from '../lib/base62.ts'

const bodyLength = 40
const checksumLength = 6
const shape = /^(hone|hsk)_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/
export const keyPrefixLength = 12

export function newKeySecret(onlyServerless: boolean): string {
  return sealKeySecret((onlyServerless ? 'hsk_' : 'hone_') + randomBase62(bodyLength))
}

/** A secret whose checksum fits. */
export function sealKeySecret(start: string): string {
  return start + checksum(start)
}

function checksum(start: string): string {
  const digest = hash('sha256', start, 'buffer')
  return toBase62(BigInt(digest.readUInt32BE(0)), checksumLength)
}

/** False only for a text in the shape of our keys whose checksum is wrong. */
export function checksumHolds(secret: string): boolean {
  const match = shape.exec(secret)
  return !match || checksum(secret.slice(0, -checksumLength)) === match[3]
}

export function hashKeySecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** The same as a text, to remember what is known about it by. */
export function nameKeySecret(secret: string): string {
  return hash('sha256', secret, 'base64')
}
