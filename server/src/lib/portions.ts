// Splits what is too much for memory into portions, each of at most so many items and bytes. An item that is larger has one to itself.

export function* portions<Item extends { bytes: number }>(
  items: Iterable<Item>,
  most: { items: number; bytes: number },
): Generator<Item[], void, void> {
  let portion: Item[] = []
  let bytes = 0
  for (const item of items) {
    const isFull = portion.length === most.items || bytes + item.bytes > most.bytes
    if (isFull && portion.length > 0) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(item)
    bytes += item.bytes
  }
  if (portion.length > 0) yield portion
}
