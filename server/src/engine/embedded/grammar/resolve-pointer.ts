// Finds the value that a local JSON pointer (`#/$defs/name`) names; undefined where there is none.
export function resolvePointer(root: unknown, pointer: string): unknown {
  const [beforeSlash, ...parts] = pointer.slice(1).split('/')
  // Anchors are names, not ways; none is known here.
  if (beforeSlash !== '') return undefined
  let value = root
  for (const part of parts) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
