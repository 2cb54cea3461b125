// The parts of an answer one by one, for those who do not mind a turn for each.
import type { StreamPart } from '../../core/stream-part.ts'

export async function* onePartAtATime(
  groups: AsyncIterable<readonly StreamPart[]>,
): AsyncGenerator<StreamPart> {
  for await (const group of groups) yield* group
}
