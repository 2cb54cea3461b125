// Waits for work, but not longer than there is patience.

/** True when it was done in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let patience: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    patience = setTimeout(() => resolve(false), limitMs)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(patience)
  }
}
