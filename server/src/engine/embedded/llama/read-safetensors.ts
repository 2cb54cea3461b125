// Reads safetensors files. Every length and offset the header declares is checked against the file before it is used,
// and tensors are read piece by piece to where they are wanted, so that a file may be larger than any one buffer.
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { widenBrains, widenHalves } from './float-formats.ts'
import { ModelFileError } from './model-file-error.ts'

export type Tensor = { shape: number[]; data: Float32Array }

export type WeightFormat = 'F32' | 'F16' | 'BF16'

/** A tensor as it stands in a file, from byte `begin` to byte `end` of it. */
export type StoredTensor = { format: WeightFormat; shape: number[]; begin: number; end: number }

export type SafetensorsFile = {
  path: string
  /** In the order in which they lie in the file. */
  stored: Map<string, StoredTensor>
  /** Reads a tensor, widened to f32. */
  read(stored: StoredTensor, into: Float32Array): Promise<void>
  close(): Promise<void>
}

const headerBytesMax = 100_000_000
/** What is read at once; a system call takes less than 2 GiB. */
const pieceBytes = 2 ** 24
const formatBytes: Record<WeightFormat, number> = { F32: 4, F16: 2, BF16: 2 }

/** All tensors of a file. */
export async function readSafetensors(path: string): Promise<Map<string, Tensor>> {
  const file = await openSafetensors(path, () => true)
  try {
    const tensors = new Map<string, Tensor>()
    for (const [name, stored] of file.stored) {
      const data = new Float32Array((stored.end - stored.begin) / formatBytes[stored.format])
      await file.read(stored, data)
      tensors.set(name, { shape: stored.shape, data })
    }
    return tensors
  } finally {
    await file.close()
  }
}

/** Tensors that are not wanted may be of any kind. */
export async function openSafetensors(
  path: string,
  wanted: (name: string) => boolean,
): Promise<SafetensorsFile> {
  const unreadable = (cause: unknown) =>
    new ModelFileError(`${path}: the file is missing or cannot be read.`, { cause })
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(error)
  })
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new ModelFileError(`${path}: this is not a file.`)
    const stored = await readHeader(path, handle, info.size, wanted)
    return {
      path,
      stored,
      read: (tensor, into) => readWidened(handle, tensor, into).catch(throwNamed),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    return throwNamed(error)
  }

  function throwNamed(error: unknown): never {
    if (error instanceof CutShort) {
      throw new ModelFileError(`${path}: the file was cut short while it was read.`)
    }
    throw error instanceof ModelFileError ? error : unreadable(error)
  }
}

async function readHeader(
  path: string,
  handle: FileHandle,
  size: number,
  wanted: (name: string) => boolean,
): Promise<Map<string, StoredTensor>> {
  const wrong = (what: string) => new ModelFileError(`${path}: ${what}`)
  if (size < 8) throw wrong('the file is too short to be a safetensors file.')
  const lead = Buffer.alloc(8)
  await fill(handle, lead, 0)
  const headerBytes = lead.readBigUInt64LE(0)
  if (headerBytes > BigInt(Math.min(headerBytesMax, size - 8))) {
    throw wrong(`the header claims ${headerBytes} bytes, but the file holds ${size} in all.`)
  }
  const text = Buffer.alloc(Number(headerBytes))
  await fill(handle, text, 8)
  const dataStart = 8 + text.byteLength
  const stored: [string, StoredTensor][] = []
  for (const [name, entry] of Object.entries(parseHeader(text, wrong))) {
    if (name === '__metadata__' || !wanted(name)) continue
    const tensor = checkEntry(name, entry, size - dataStart, wrong)
    stored.push([name, { ...tensor, begin: dataStart + tensor.begin, end: dataStart + tensor.end }])
  }
  stored.sort(([, a], [, b]) => a.begin - b.begin)
  // A small file could otherwise claim any amount of memory, one tensor upon the other.
  const overlap = stored.find(([, { begin }], i) => i > 0 && begin < stored[i - 1]![1].end)
  if (overlap) throw wrong(`tensor '${overlap[0]}' overlaps another one.`)
  return new Map(stored)
}

function parseHeader(bytes: Buffer, wrong: (what: string) => Error): Record<string, unknown> {
  let header: unknown
  try {
    header = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw wrong('the header is corrupt: it is not JSON.')
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw wrong('the header is corrupt: it is not an object.')
  }
  return header as Record<string, unknown>
}

function checkEntry(
  name: string,
  entry: unknown,
  available: number,
  wrong: (what: string) => Error,
): StoredTensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>
  if (typeof dtype !== 'string') throw wrong(`tensor '${name}' has no dtype.`)
  if (!Object.hasOwn(formatBytes, dtype)) {
    throw wrong(
      `tensor '${name}' has the unsupported dtype '${dtype}'; F32, F16 and BF16 are read.`,
    )
  }
  const format = dtype as WeightFormat
  if (!isSizes(shape)) throw wrong(`tensor '${name}' has no valid shape.`)
  if (!isSizes(offsets) || offsets.length !== 2) {
    throw wrong(`tensor '${name}' has no valid data_offsets.`)
  }
  const [begin, end] = offsets as [number, number]
  if (begin > end || end > available) {
    throw wrong(
      `tensor '${name}' is truncated: it claims bytes ${begin} to ${end} of ${available}.`,
    )
  }
  const expected = shape.reduce((product, size) => product * size, formatBytes[format])
  if (expected !== end - begin) {
    throw wrong(
      `tensor '${name}' of shape [${shape.join(', ')}] needs ${expected} bytes but claims ${end - begin}.`,
    )
  }
  return { format, shape, begin, end }
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0)
}

async function readWidened(
  handle: FileHandle,
  { format, begin, end }: StoredTensor,
  into: Float32Array,
): Promise<void> {
  if (format === 'F32') {
    return fill(handle, new Uint8Array(into.buffer, into.byteOffset, into.byteLength), begin)
  }
  const widen = format === 'F16' ? widenHalves : widenBrains
  const narrow = new Uint16Array(Math.min(pieceBytes, end - begin) / 2)
  for (let done = 0; done < into.length; done += narrow.length) {
    const piece = narrow.subarray(0, into.length - done)
    await fill(handle, new Uint8Array(piece.buffer, 0, piece.byteLength), begin + 2 * done)
    widen(piece, into.subarray(done, done + piece.length))
  }
}

class CutShort extends Error {}

async function fill(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const piece = bytes.subarray(done, done + pieceBytes)
    const { bytesRead } = await handle.read(piece, 0, piece.byteLength, position + done)
    if (bytesRead === 0) throw new CutShort()
    done += bytesRead
  }
}
