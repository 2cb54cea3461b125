// Reads a safetensors file. Every length and offset the header declares is checked against the file before it is used.
import { readFile, stat } from 'node:fs/promises'
import { widenBrains, widenHalves } from './float-formats.ts'
import { ModelFileError } from './model-file-error.ts'

export type Tensor = { shape: number[]; data: Float32Array }

export type WeightFormat = 'F32' | 'F16' | 'BF16'

export type SafetensorsFile = {
  tensors: Map<string, Tensor>
  formats: Set<WeightFormat>
  bytes: Buffer
}

/** Above this the weights fit neither one read nor one ONNX model, which protobuf holds to 2 GiB. */
export const weightBytesMax = 1.9e9

const headerBytesMax = 100_000_000
const formatBytes: Record<WeightFormat, number> = { F32: 4, F16: 2, BF16: 2 }

export async function readSafetensors(path: string): Promise<SafetensorsFile> {
  const bytes = await readBounded(path)
  const wrong = (what: string) => new ModelFileError(`${path}: ${what}`)
  if (bytes.byteLength < 8) throw wrong('the file is too short to be a safetensors file.')
  const headerBytes = bytes.readBigUInt64LE(0)
  if (headerBytes > BigInt(Math.min(headerBytesMax, bytes.byteLength - 8))) {
    throw wrong(
      `the header claims ${headerBytes} bytes, but the file holds ${bytes.byteLength} in all.`,
    )
  }
  const dataStart = 8 + Number(headerBytes)
  const header = parseHeader(bytes.subarray(8, dataStart), wrong)
  const data = bytes.subarray(dataStart)

  const tensors = new Map<string, Tensor>()
  const formats = new Set<WeightFormat>()
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue
    const { format, shape, begin, end } = checkEntry(name, entry, data.byteLength, wrong)
    formats.add(format)
    tensors.set(name, { shape, data: widen(format, data.subarray(begin, end)) })
  }
  return { tensors, formats, bytes }
}

async function readBounded(path: string): Promise<Buffer> {
  let size: number
  try {
    const info = await stat(path)
    if (!info.isFile()) throw new ModelFileError(`${path}: this is not a file.`)
    size = info.size
  } catch (error) {
    if (error instanceof ModelFileError) throw error
    throw new ModelFileError(`${path}: the file is missing or cannot be read.`, { cause: error })
  }
  if (size > weightBytesMax) {
    throw new ModelFileError(
      `${path}: the file has ${size} bytes; the embedded engine takes weights up to ${weightBytesMax}.`,
    )
  }
  return readFile(path)
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
): { format: WeightFormat; shape: number[]; begin: number; end: number } {
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

function widen(format: WeightFormat, bytes: Buffer): Float32Array {
  // A copy: the place in the file need not be aligned, and the file's buffer can then be let go.
  const own = Uint8Array.from(bytes).buffer
  if (format === 'F32') return new Float32Array(own)
  return format === 'F16' ? widenHalves(new Uint16Array(own)) : widenBrains(new Uint16Array(own))
}
