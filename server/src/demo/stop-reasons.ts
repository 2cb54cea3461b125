// Why the demo ends before its end: a sentence for its reader.

/** Something went wrong. */
export class DemoFailure extends Error {
  override name = 'DemoFailure'
}

/** A signal, or an output that nobody reads any more. */
export class DemoStopped extends Error {
  override name = 'DemoStopped'
}
