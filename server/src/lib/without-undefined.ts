// An object without the fields whose value is undefined, as exact optional types want it.
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export function withoutUndefined<T extends Record<string, unknown>>(fields: T): Defined<T> {
  const defined: Defined<T> = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) defined[name] = value as Defined<T>[typeof name]
  }
  return defined
}
