// Servers that do things otherwise than most, and say in every answer which they are.
export type KnownServer = 'llama.cpp' | 'litellm'

type Head = Record<string, string | string[] | undefined>

/** By the head of an answer; null for all others. */
export function knownServer(head: Head): KnownServer | null {
  if (head.server === 'llama.cpp') return 'llama.cpp'
  return head['x-litellm-version'] === undefined ? null : 'litellm'
}
