// Writes protobuf messages. Large byte fields are kept by reference until `finish`, so that weights are copied once.

const utf8 = new TextEncoder()

export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = []
  #length = 0

  varint(field: number, value: number | bigint): this {
    this.#raw(encodeVarint(BigInt(field) << 3n))
    return this.#raw(encodeVarint(BigInt.asUintN(64, BigInt(value))))
  }

  float(field: number, value: number): this {
    this.#raw(encodeVarint((BigInt(field) << 3n) | 5n))
    return this.#raw(new Uint8Array(new Float32Array([value]).buffer))
  }

  bytes(field: number, value: Uint8Array): this {
    this.#raw(encodeVarint((BigInt(field) << 3n) | 2n))
    this.#raw(encodeVarint(BigInt(value.byteLength)))
    return this.#raw(value)
  }

  string(field: number, value: string): this {
    return this.bytes(field, utf8.encode(value))
  }

  message(field: number, write: (writer: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter()
    write(inner)
    this.#raw(encodeVarint((BigInt(field) << 3n) | 2n))
    this.#raw(encodeVarint(BigInt(inner.#length)))
    for (const chunk of inner.#chunks) this.#raw(chunk)
    return this
  }

  finish(): Uint8Array {
    const whole = new Uint8Array(this.#length)
    let offset = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, offset)
      offset += chunk.byteLength
    }
    return whole
  }

  #raw(chunk: Uint8Array): this {
    this.#chunks.push(chunk)
    this.#length += chunk.byteLength
    return this
  }
}

function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}
