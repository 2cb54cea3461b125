// Images as both dialects carry them: bytes in base64, or the address of a hosted one.
import { type ImageBlock, imageMediaTypes } from '../core/block.ts'
import { bad } from './read-body.ts'

const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const urlCharactersMax = 8192

export function imageOfBytes(mediaType: string, data: string, at: string): ImageBlock {
  if (!imageMediaTypes.includes(mediaType)) {
    throw bad('messages', `${at} must be one of ${imageMediaTypes.join(', ')}.`)
  }
  if (data.length % 4 !== 0 || !base64.test(data)) {
    throw bad('messages', `${at} is not valid base64.`)
  }
  return { type: 'image', source: { kind: 'bytes', mediaType, base64: data } }
}

export function imageOfUrl(url: string, at: string): ImageBlock {
  if (url.startsWith('data:')) {
    const comma = url.indexOf(',')
    const [mediaType = '', encoding] = url.slice('data:'.length, comma).split(';')
    if (comma === -1 || encoding !== 'base64') {
      throw bad('messages', `${at} must be a data URI in base64, such as data:image/png;base64,...`)
    }
    return imageOfBytes(mediaType, url.slice(comma + 1), at)
  }
  if (!/^https?:\/\//i.test(url) || url.length > urlCharactersMax || !URL.canParse(url)) {
    throw bad('messages', `${at} must be a data URI or an http(s) address.`)
  }
  return { type: 'image', source: { kind: 'url', url } }
}
