// How cards are grouped in print, as sizes of groups with any separators between.

const printed = ['4444', '4443', '44443', '465', '464', '4333', '4441', '655', '4442']

/** A way of writing up to some group is the number that its sizes make; 0 is before the first, -1 no way at all. */
const parts = new Uint8Array(50_000)
for (const sizes of printed) {
  for (let end = 1; end < sizes.length; end++) {
    const part = Number(sizes.slice(0, end))
    parts[part] = Math.max(parts[part]!, 1)
  }
  parts[Number(sizes)] = 2
}

export function nextCardShape(shape: number, size: number): number {
  if (shape === -1 || size > 9) return -1
  const longer = shape * 10 + size
  return parts[longer] ? longer : -1
}

export function isPrinted(shape: number): boolean {
  return shape > 0 && parts[shape] === 2
}
