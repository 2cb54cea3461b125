// What a model server that found prompt and answer too long for its window left of it for the answer, by the numbers of its
// refusal. Servers word it in many ways, and all of them name the same numbers.

/** The window, the prompt, the answer and the sum of the last two. */
const kinds = 4

type Reading = { window: number; prompt: number }

/**
 * Of these a server names the window and the prompt's tokens, and the answer's or the sum of both, so that it is clear what the other
 * two are. Null where they do not tell.
 */
export function roomLeft(named: readonly number[], maxTokens: number): number | null {
  const numbers = [...new Set(named)]
  if (numbers.length < kinds - 1 || numbers.length > kinds) return null
  const readings = numbers.flatMap((prompt) =>
    numbers
      .map((window) => ({ window, prompt }))
      .filter((one) => explains(one, numbers, maxTokens)),
  )
  // That a prompt has just as many tokens as its answer may have is the less likely reading.
  const likely = readings.filter(({ prompt }) => prompt !== maxTokens)
  const rooms = (likely.length > 0 ? likely : readings).map(({ window, prompt }) => window - prompt)
  return rooms.length === 0 ? null : Math.min(...rooms)
}

/** Prompt and answer are too long together, and there is no number that is none of the four. */
function explains(
  { window, prompt }: Reading,
  numbers: readonly number[],
  maxTokens: number,
): boolean {
  const sum = prompt + maxTokens
  if (prompt >= window || window >= sum) return false
  return numbers.every((number) => [window, prompt, maxTokens, sum].includes(number))
}
