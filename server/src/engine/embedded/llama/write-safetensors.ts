// Writes a safetensors file and sees it onto the disk. Tensors are made and narrowed as they are written, so that a
// large model needs no second place in memory.
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { narrowToBrains, narrowToHalves } from './float-formats.ts'
import { ModelFileError } from './model-file-error.ts'
import type { WeightFormat } from './read-safetensors.ts'

/** A tensor that is there, or one that is made when its turn comes. */
export type WrittenTensor = { shape: number[]; data: Float32Array | (() => Float32Array) }

const formatBytes: Record<WeightFormat, number> = { F32: 4, F16: 2, BF16: 2 }
/** Numbers that are narrowed and written at once. */
const pieceLength = 2 ** 22

export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, WrittenTensor>,
  format: WeightFormat = 'F32',
): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const names = [...tensors.keys()].sort()
  let offset = 0
  for (const name of names) {
    const { shape } = tensors.get(name)!
    const end = offset + shape.reduce((product, size) => product * size, formatBytes[format])
    header[name] = { dtype: format, shape, data_offsets: [offset, end] }
    offset = end
  }
  const text = JSON.stringify(header)
  // Readers map the data in place, so it starts on an 8-byte boundary.
  const padded = Buffer.from(text + ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(padded.byteLength))

  try {
    const file = await open(path, 'w')
    try {
      await file.writeFile(size)
      await file.writeFile(padded)
      for (const name of names) {
        const { data } = tensors.get(name)!
        await writeNumbers(file, typeof data === 'function' ? data() : data, format)
      }
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (cause) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException
    throw new ModelFileError(`${path}: the file cannot be written: ${why[code] ?? code}.`, {
      cause,
    })
  }
}

const why: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'access is denied',
  EROFS: 'the disk is read-only',
  ENOENT: 'its folder is missing',
}

async function writeNumbers(
  file: FileHandle,
  data: Float32Array,
  format: WeightFormat,
): Promise<void> {
  for (let start = 0; start < data.length; start += pieceLength) {
    const piece = narrowTo(format, data.subarray(start, start + pieceLength))
    await file.writeFile(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength))
  }
}

function narrowTo(format: WeightFormat, data: Float32Array): Float32Array | Uint16Array {
  if (format === 'F32') return data
  return format === 'F16' ? narrowToHalves(data) : narrowToBrains(data)
}
