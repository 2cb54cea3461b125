// Numbers in sentences for people: 1,000,000.
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
