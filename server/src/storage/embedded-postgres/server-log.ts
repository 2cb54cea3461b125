// The file that takes what the server prints, and what can be read from it when the server does not
// start.

import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'

const sizeBytesMax = 10 * 1024 * 1024
const tailBytes = 16 * 1024

export interface ServerLog {
  file: string
  descriptor: number
  /** The line since this start that best says why the server ended, without its time and process number. */
  reason(): Promise<string>
  close(): Promise<void>
}

export async function openServerLog(file: string): Promise<ServerLog> {
  const handle = await open(file, 'a+', 0o600)
  if ((await handle.stat()).size > sizeBytesMax) await handle.truncate(0)
  const begin = (await handle.stat()).size
  return {
    file,
    descriptor: handle.fd,
    reason: async () => reasonIn(await tail(handle, begin)),
    close: () => handle.close(),
  }
}

async function tail(handle: FileHandle, begin: number): Promise<string> {
  const { size } = await handle.stat()
  const from = Math.max(begin, size - tailBytes)
  const buffer = Buffer.alloc(Math.max(0, size - from))
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from)
  return buffer.toString('utf8', 0, bytesRead)
}

// What the server tells those who come while it starts or ends, among them whoever waits for it here.
const turnedAway = /^FATAL: +the database system is /

function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\S+ \S+ \S+ \[\d+\] /, '').trim())
    .filter((line) => line !== '')
  const grave = lines.filter((line) => /^(FATAL|PANIC):/.test(line) && !turnedAway.test(line))
  return (grave.at(-1) ?? lines.at(-1) ?? 'it printed nothing').slice(0, 300)
}
