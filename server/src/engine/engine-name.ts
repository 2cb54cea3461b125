// The name under which an engine knows weights that never change: a base model, pinned to the hash of its content where a deployment
// needs exactly that one, and an adapter on top of it, by the hash of its content too.

export type NamedWeights = { baseRevision: string | null; adapter: string | null }

/** Neither sign stands in a slug of the catalog. */
const hashesAtEnd = /(?:@([0-9a-f]{64}))?(?:\+([0-9a-f]{64}))?$/

export function engineNameOf(base: string, { baseRevision, adapter }: NamedWeights): string {
  const revision = baseRevision === null ? '' : `@${baseRevision}`
  return `${base}${revision}${adapter === null ? '' : `+${adapter}`}`
}

/** Both null where it names the base model as the catalog has it. */
export function weightsIn(engineName: string): NamedWeights {
  const [, baseRevision = null, adapter = null] = hashesAtEnd.exec(engineName) ?? []
  return { baseRevision, adapter }
}
