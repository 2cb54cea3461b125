// Bytes to text as they come. A character is handed out only once all its bytes are there.
export type Utf8Stream = {
  push(bytes: Uint8Array): string
}

/** What is left of a character when the stream is cut is dropped, as nobody could read it. */
export function utf8Stream(): Utf8Stream {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { push: (bytes) => decoder.decode(bytes, { stream: true }) }
}
