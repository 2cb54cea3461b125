// Bytes to text as they come. A character is handed out only once all its bytes are there.
export type Utf8Stream = {
  push(bytes: Uint8Array): string
}

/**
 * What is left of a character when the stream is cut is dropped, as nobody could read it. `dropsFirstSpace` leaves
 * out a space at the very beginning, which some vocabularies begin every text with.
 */
export function utf8Stream({ dropsFirstSpace = false } = {}): Utf8Stream {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let begun = !dropsFirstSpace
  return {
    push(bytes) {
      const skipped = !begun && bytes[0] === 0x20 ? 1 : 0
      begun ||= bytes.length > 0
      return decoder.decode(bytes.subarray(skipped), { stream: true })
    },
  }
}
