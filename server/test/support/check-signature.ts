// Version 4 signatures as their published description says, written apart from the library that makes them.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** Whether whoever signed this knows the secret; headers that were not signed are not trusted. */
export function isSignedWith(request: IncomingMessage, secret: string): boolean {
  const match = authorization.exec(request.headers.authorization ?? '')
  if (!match) return false
  const [, , date = '', region = '', signed = '', signature] = match
  const names = signed.split(';')
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.includes(name))) {
    return false
  }
  const header = (name: string): string => String(request.headers[name] ?? '').trim()
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const canonical = [
    request.method,
    path,
    query.split('&').sort().join('&'),
    ...names.map((name) => `${name}:${header(name)}`),
    '',
    signed,
    header('x-amz-content-sha256'),
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const hash = createHash('sha256').update(canonical).digest('hex')
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, date))
  const text = `AWS4-HMAC-SHA256\n${header('x-amz-date')}\n${scope}\n${hash}`
  return hmac(key, text).toString('hex') === signature
}
