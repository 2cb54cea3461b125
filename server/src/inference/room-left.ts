// What a model server that found prompt and answer too long for its window left of it for the answer, by the numbers of its
// refusal. Servers word it in many ways, and all of them name the same numbers.

/**
 * Of these a server names the window and the prompt's tokens, and the answer's or the sum of both, so that it is clear what the other
 * two are. Null where they do not tell.
 */
export function roomLeft(named: readonly number[], maxTokens: number): number | null {
  const numbers = [...new Set(named)]
  const isSum = (number: number): boolean => numbers.includes(number - maxTokens)
  if (!numbers.some((number) => number === maxTokens || isSum(number))) return null
  const [one, other, ...more] = numbers.filter((number) => number !== maxTokens && !isSum(number))
  if (one === undefined || other === undefined || more.length > 0) return null
  const room = Math.abs(one - other)
  return room > 0 && room < maxTokens ? room : null
}
