// Lines on disk: written one after another, and some of them copied to another file later.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'

const bufferBytes = 1024 * 1024
/** Of files beside a file of lines. Two processes may select rows for the same attempt, so no two names are the same. */
export function nameBeside(file: string): string {
  return `${file}.${randomUUID()}`
}

/** Takes lines and writes them in large pieces. */
export class LineWriter {
  readonly #file: FileHandle
  #lines: Buffer[] = []
  #bytes = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Returns the bytes of the line, without its line break. */
  async add(line: string): Promise<number> {
    const bytes = Buffer.from(`${line}\n`)
    this.#lines.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes >= bufferBytes) await this.flush()
    return bytes.length - 1
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#lines)
    this.#lines = []
    this.#bytes = 0
    if (bytes.length > 0) await this.#file.writeFile(bytes)
  }
}

/** The lines with a 1 in `chosen`, whose lengths are `lineBytes`. The file is either whole or not there. */
export async function copyLines(
  from: FileHandle,
  to: string,
  { count, lineBytes, chosen }: { count: number; lineBytes: Uint32Array; chosen: Uint8Array },
): Promise<void> {
  const aside = nameBeside(to)
  const target = await open(aside, 'w')
  try {
    const buffer = Buffer.alloc(bufferBytes)
    let position = 0
    for (let line = 0; line < count;) {
      // Lines that follow one another are copied together.
      const isChosen = chosen[line]
      const start = position
      for (; line < count && chosen[line] === isChosen; line++) position += lineBytes[line]! + 1
      if (isChosen) await copyBytes(from, target, buffer, start, position)
    }
    await target.sync()
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  } finally {
    await target.close()
  }
  await rename(aside, to)
}

async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  buffer: Buffer,
  start: number,
  end: number,
): Promise<void> {
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - at), at)
    if (bytesRead === 0) throw new Error('the file of lines is shorter than what was written')
    await to.writeFile(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}
