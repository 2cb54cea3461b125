// Ids as 16 bytes each, one behind the other: a string takes four times as much memory.

export const idBytes = 16

export function writeId(into: Buffer, index: number, id: string): void {
  into.write(id.replaceAll('-', ''), index * idBytes, 'hex')
}

export function idAt(from: Buffer, index: number): string {
  const hex = from.toString('hex', index * idBytes, (index + 1) * idBytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function idsIn(packed: Uint8Array): string[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  return Array.from({ length: bytes.length / idBytes }, (_, index) => idAt(bytes, index))
}
