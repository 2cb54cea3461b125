// The name under which an engine knows weights that never change: a base model alone, or a base model with an adapter that is named
// by the hash of its content.

/** A plus sign stands in no slug of the catalog. */
const adapterAtEnd = /\+([0-9a-f]{64})$/

export function adapterName(base: string, adapter: string): string {
  return `${base}+${adapter}`
}

/** The hash of the adapter; null for the base model alone. */
export function adapterIn(engineName: string): string | null {
  return adapterAtEnd.exec(engineName)?.[1] ?? null
}
