// An object without the fields whose value is undefined, as exact optional types want it.
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export function withoutUndefined<T extends Record<string, unknown>>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>
}
