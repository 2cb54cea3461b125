// Images as both dialects carry them: bytes in base64, or the address of a hosted one.
import { imageAddressCharactersMax } from '#contract/limits.ts'
import { type ImageBlock, imageMediaTypes } from '../core/block.ts'
import { grouped } from '../lib/grouped.ts'
import { bad } from './read-fields.ts'

const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** What stands before the bytes of a data URI. */
const headCharactersMax = 256

export function imageOfBytes(mediaType: string, data: string, at: string): ImageBlock {
  const type = knownType(mediaType)
  if (type === null) {
    throw bad('messages', `${at}.media_type must be one of ${imageMediaTypes.join(', ')}.`)
  }
  return imageOf(type, data, at)
}

/** Some clients write the ending of the file's name, or capitals. */
function knownType(mediaType: string): string | null {
  const type = mediaType.trim().toLowerCase()
  if (type === 'image/jpg') return 'image/jpeg'
  return imageMediaTypes.includes(type) ? type : null
}

function imageOf(mediaType: string, data: string, at: string): ImageBlock {
  const bytes = isBase64(data) ? data : filled(inLines.test(data) ? withoutLines(data) : data)
  if (!isBase64(bytes)) throw bad('messages', `${at} is not valid base64.`)
  return { type: 'image', source: { kind: 'bytes', mediaType, base64: bytes } }
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && base64.test(data)
}

/** Some programs leave out the signs that fill the last group, and many write lines; not every server reads that. */
function filled(data: string): string {
  return data.padEnd(Math.ceil(data.length / 4) * 4, '=')
}

const inLines = /[\t\n\f\r ]/

/** Byte by byte, because white space behind every sign would be found by an expression as often. */
function withoutLines(data: string): string {
  const bytes = Buffer.from(data)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    bytes[length] = byte
    length += isWhiteSpace(byte) ? 0 : 1
  }
  return bytes.toString('latin1', 0, length)
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c
}

export function imageOfUrl(url: string, at: string): ImageBlock {
  if (/^data:/i.test(url)) return imageOfDataUrl(url, at)
  if (!/^https?:\/\//i.test(url)) {
    throw bad('messages', `${at} must be a data URI or an http(s) URL.`)
  }
  if (url.length > imageAddressCharactersMax) {
    throw bad(
      'messages',
      `${at} must have at most ${grouped(imageAddressCharactersMax)} characters; send the image as base64 data.`,
    )
  }
  if (!URL.canParse(url)) throw bad('messages', `${at} is not a valid URL.`)
  return { type: 'image', source: { kind: 'url', url } }
}

function imageOfDataUrl(url: string, at: string): ImageBlock {
  const comma = url.slice(0, headCharactersMax).indexOf(',')
  const head = comma === -1 ? '' : url.slice('data:'.length, comma)
  // What may stand between the type and the encoding says nothing about an image.
  const [mediaType = '', ...parameters] = head.split(';')
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') {
    throw bad('messages', `${at} must be a data URI in base64, such as data:image/png;base64,...`)
  }
  const type = knownType(mediaType)
  if (type === null) {
    throw bad('messages', `${at} must be a data URI of a PNG, JPEG, GIF or WebP image.`)
  }
  return imageOf(type, url.slice(comma + 1), at)
}
