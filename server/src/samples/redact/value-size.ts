// About how many characters a JSON value has, counted no further than asked.

export function valueSize(value: unknown, max: number): number {
  const open: unknown[] = [value]
  let size = 0
  while (open.length > 0 && size <= max) {
    const item = open.pop()
    size += 8
    if (typeof item === 'string') size += item.length
    else if (Array.isArray(item)) {
      size += item.length
      if (size <= max) for (const each of item) open.push(each)
    } else if (typeof item === 'object' && item !== null) {
      for (const key in item) {
        size += key.length
        open.push((item as Record<string, unknown>)[key])
      }
    }
  }
  return size
}
