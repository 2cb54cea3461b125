// Copies a JSON value with its texts changed. It does not call itself, so depth costs no stack, and keys such as
// `__proto__` are data like any other.

type Json = unknown
type Container = Json[] | Record<string, Json>
type Frame = {
  source: Container
  keys: string[] | null
  index: number
  target: Container
  name: string
  /** How often a key was taken already. */
  uses: Map<string, number> | null
}

export type Changes = {
  /** A text or number, with the key it goes by. */
  value(value: string | number, name: string): Json
  key(key: string): string
  /** A list whose copy is complete. */
  list?(list: Json[]): void
}

export function copyJson(value: Json, changes: Changes): Json {
  const root: Json[] = []
  const stack: Frame[] = [
    { source: [value], keys: null, index: 0, target: root, name: '', uses: null },
  ]
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { source, keys, target } = frame
    const index = frame.index++
    if (index >= (keys ?? (source as Json[])).length) {
      stack.pop()
      if (stack.length > 0 && Array.isArray(target)) changes.list?.(target)
      continue
    }
    const key = keys?.[index]
    const item =
      key === undefined ? (source as Json[])[index] : (source as Record<string, Json>)[key]
    const place = key === undefined ? null : freeKey(frame, changes.key(key))
    const name = key ?? frame.name
    const copied = isContainer(item)
      ? open(item, name)
      : isText(item)
        ? changes.value(item, name)
        : item
    if (place === null) (target as Json[]).push(copied)
    else setOwn(target as Record<string, Json>, place, copied)
  }
  return root[0]

  function open(item: Container, name: string): Container {
    const isList = Array.isArray(item)
    const target: Container = isList ? [] : {}
    stack.push({
      source: item,
      keys: isList ? null : Object.keys(item),
      index: 0,
      target,
      name,
      uses: null,
    })
    return target
  }
}

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null
}

function isText(value: Json): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Two keys may become the same marker; none of their values is lost. */
function freeKey(frame: Frame, key: string): string {
  if (!Object.hasOwn(frame.target, key)) return key
  frame.uses ??= new Map()
  let count = frame.uses.get(key) ?? 1
  do count++
  while (Object.hasOwn(frame.target, `${key} ${count}`))
  frame.uses.set(key, count)
  return `${key} ${count}`
}

/** Assigning to `__proto__` would set the prototype, and to any name of a frozen prototype would fail. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (!(key in Object.prototype)) target[key] = value
  else {
    const own = { value, enumerable: true, configurable: true, writable: true }
    Object.defineProperty(target, key, own)
  }
}
