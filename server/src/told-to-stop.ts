// What tells a running Hone to stop: a signal, the end of its terminal, or the end of the npm that started it.

export type Told = {
  /** Resolves with the first of them. */
  stop: Promise<void>
  signal: AbortSignal
}

const parentCheckMs = 500

/** Heard from the first moment on, so that a Ctrl-C during a slow first start leaves nothing behind. */
export function listenForStop(
  env: Record<string, string | undefined>,
  stopAtOnce: () => void,
): Told {
  const told = new AbortController()
  const { signal } = told
  const stop = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const begin = (): void => told.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => (signal.aborted ? stopAtOnce() : begin()))
  }
  // A terminal that closes says so more than once, so this one never hurries.
  process.on('SIGHUP', () => begin())
  if (env.npm_lifecycle_event !== undefined) watchParent(begin)
  return { stop, signal }
}

/** npm signals its shell, and many shells do not pass that on: Hone would serve on, with nobody to stop it. */
function watchParent(ended: () => void): void {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    ended()
  }, parentCheckMs)
  watch.unref()
}
