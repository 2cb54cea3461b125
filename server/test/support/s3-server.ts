// A real S3-speaking server on loopback, which checks signatures, and which a test can make slow, absent or unwilling.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isSignedWith } from './check-signature.ts'

const require = createRequire(import.meta.url)
const S3rver = require('s3rver') as new (options: object) => {
  configureBuckets(): Promise<void>
  callback(): RequestListener
}
const { DUMMY_ACCOUNT: account } = require('s3rver/lib/models/account') as {
  DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secret: string): void }
}

export const s3Keys = {
  access_key_id: 'AKIDEXAMPLEOFTESTS',
  secret_access_key: 'canary/secret+key',
}
account.createKeyPair(s3Keys.access_key_id, s3Keys.secret_access_key)

/** What it does with the next requests, instead of serving them; false serves this one all the same. */
type Trouble = (request: { method: string; url: string }, response: ServerResponse) => boolean

export type S3Server = {
  /** `host:port`, as an allow-list names it. */
  host: string
  port: number
  endpoint: string
  /** Every request that came, as `METHOD /path`. */
  seen: string[]
  trouble: Trouble | null
  keys(bucket?: string): Promise<string[]>
  read(key: string): Promise<string>
  write(key: string, text: string): Promise<void>
  remove(key: string): Promise<void>
  /** Refuses connections, on the same port, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

export function s3Error(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`)
}

const s3Buckets = ['customer-data', 'second-bucket']
const suffix = '._S3rver_object'

export async function s3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'hone-s3-'))
  const s3 = new S3rver({
    directory,
    silent: true,
    serviceEndpoint: 'test',
    configureBuckets: s3Buckets.map((name) => ({ name })),
  })
  await s3.configureBuckets()
  const serve = s3.callback()
  const seen: string[] = []
  const http = createServer((request, response) => {
    const { method = '', url = '' } = request
    seen.push(`${method} ${url.replace(/\?.*/, '')}`)
    if (server.trouble?.({ method, url }, response)) return
    // The server itself knows only whose key it is when a signature is of version 4.
    const known = request.headers.authorization?.includes(`=${s3Keys.access_key_id}/`) ?? false
    if (known && !isSignedWith(request, s3Keys.secret_access_key)) {
      s3Error(response, 403, 'SignatureDoesNotMatch')
    } else serve(request, response)
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => http.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = http.address() as AddressInfo
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  const fileOf = (key: string): string => join(directory, s3Buckets[0] ?? '', `${key}${suffix}`)
  const server: S3Server = {
    host: `127.0.0.1:${port}`,
    port,
    endpoint: `http://127.0.0.1:${port}`,
    seen,
    trouble: null,
    async keys(bucket = s3Buckets[0] ?? '') {
      const root = join(directory, bucket)
      const files = await readdir(root, { recursive: true })
      return files
        .filter((file) => file.endsWith(suffix))
        .map((file) => file.slice(0, -suffix.length))
        .sort()
    },
    read: (key) => readFile(fileOf(key), 'utf8'),
    async write(key, text) {
      await mkdir(dirname(fileOf(key)), { recursive: true })
      await writeFile(fileOf(key), text)
      await rm(`${fileOf(key)}.md5`, { force: true })
    },
    remove: (key) => rm(fileOf(key)),
    pause,
    resume: () => listen(port),
    async close() {
      if (http.listening) await pause()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return server
}
