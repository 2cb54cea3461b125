// A call that a server turned down, and is asked once more in another way.
import type { StreamPart } from '../../core/stream-part.ts'
import { EngineError } from '../engine.ts'

/** `again` answers for a failure that came before anything of an answer; null where that is what is left. */
export async function* askedOtherwise(
  first: AsyncIterable<StreamPart[]>,
  again: (error: EngineError) => AsyncIterable<StreamPart[]> | null,
): AsyncGenerator<StreamPart[]> {
  let other: AsyncIterable<StreamPart[]> | null = null
  let begun = false
  try {
    for await (const parts of first) {
      begun = true
      yield parts
    }
    return
  } catch (error) {
    if (!begun && error instanceof EngineError) other = again(error)
    if (other === null) throw error
  }
  yield* other
}

/** The models whose server answers when it is asked otherwise, and is to be asked so from then on. */
export async function* remembered(
  models: Set<string>,
  model: string,
  answer: AsyncIterable<StreamPart[]>,
): AsyncGenerator<StreamPart[]> {
  for await (const parts of answer) {
    models.add(model)
    yield parts
  }
}
