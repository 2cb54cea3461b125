// Small objects by key, kept somewhere else than in the database. Every failure is one of a few kinds, so that nobody has
// to know what kept them.

export type ObjectFailureKind =
  /** No answer, or one that says to come back later. */
  | 'unreachable'
  | 'credentials'
  | 'no-such-bucket'
  | 'missing'
  /** An answer that will be the same next time. */
  | 'refused'
  | 'too-large'

/** Without its cause, because what a client library throws may hold the request with its signature. */
export class ObjectFailure extends Error {
  readonly kind: ObjectFailureKind
  /** The store's own word for it, where it gave one. */
  readonly code: string | null

  constructor(kind: ObjectFailureKind, code: string | null = null) {
    super(code === null ? kind : `${kind} (${code})`)
    this.name = 'ObjectFailure'
    this.kind = kind
    this.code = code
  }
}

export interface ObjectStore {
  put(key: string, text: string): Promise<void>
  get(key: string): Promise<string>
  /** One that is not there counts as deleted. */
  delete(key: string): Promise<void>
  close(): void
}
