// Writes a safetensors file and sees it onto the disk.
import { open } from 'node:fs/promises'
import { narrowToBrains, narrowToHalves } from './float-formats.ts'
import type { Tensor, WeightFormat } from './read-safetensors.ts'

export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, Tensor>,
  format: WeightFormat = 'F32',
): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const parts: Uint8Array[] = []
  let offset = 0
  for (const name of [...tensors.keys()].sort()) {
    const { shape, data } = tensors.get(name)!
    const narrow = narrowTo(format, data)
    const part = new Uint8Array(narrow.buffer, narrow.byteOffset, narrow.byteLength)
    header[name] = { dtype: format, shape, data_offsets: [offset, offset + part.byteLength] }
    offset += part.byteLength
    parts.push(part)
  }
  const text = JSON.stringify(header)
  // Readers map the data in place, so it starts on an 8-byte boundary.
  const padded = Buffer.from(text + ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(padded.byteLength))

  const file = await open(path, 'w')
  try {
    await file.writeFile(size)
    await file.writeFile(padded)
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}

function narrowTo(format: WeightFormat, data: Float32Array): Float32Array | Uint16Array {
  if (format === 'F32') return data
  return format === 'F16' ? narrowToHalves(data) : narrowToBrains(data)
}
