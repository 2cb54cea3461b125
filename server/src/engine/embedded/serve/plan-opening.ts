// Decides which models are closed so that a further one fits into the memory of all.

export type LoadedModel = {
  bytes: number
  /** Calls that run on it. */
  calls: number
  /** Its memory is still taken, but free soon. */
  closing: boolean
}

export type Plan<Model> = {
  /** The further one fits as it is. */
  fits: boolean
  /** Idle ones, to be closed now. */
  close: Model[]
  /** They take no further calls, and are closed once they are idle. */
  drain: Model[]
}

/** `models` are in the order of their last use. A model larger than the budget fits where it is alone. */
export function planOpening<Model extends LoadedModel>(
  models: readonly Model[],
  bytes: number,
  budget: number,
): Plan<Model> {
  const plan: Plan<Model> = { fits: false, close: [], drain: [] }
  const taken = models.reduce((sum, model) => sum + model.bytes, 0)
  let missing = taken + bytes - budget
  if (missing <= 0 || models.length === 0) return { ...plan, fits: true }
  for (const model of models) if (model.closing) missing -= model.bytes
  const idle = models.filter(({ closing, calls }) => !closing && calls === 0)
  const inUse = models.filter(({ closing, calls }) => !closing && calls > 0)
  for (const model of [...idle, ...inUse]) {
    if (missing <= 0) break
    const chosen = model.calls === 0 ? plan.close : plan.drain
    chosen.push(model)
    missing -= model.bytes
  }
  return plan
}
