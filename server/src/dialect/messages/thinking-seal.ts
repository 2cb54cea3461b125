// Signatures of thinking blocks. A signature holds the whole thought, encrypted for its workspace, so that a block that
// was shown empty can be passed back and is the same prompt again (spec 1, caching rule 9 and reasoning rule 11). It also
// holds what the engine that thought it wants to see again.
import type { Block } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import { openSealed, seal } from '../../lib/seal.ts'
import { bad } from '../read-fields.ts'

/** Which thought it is: its words, and the proof that its engine gave for it; empty where it gave none. */
export type SealedThought = { text: string; proof: string }

export class ThinkingSeal {
  readonly #key: Uint8Array
  readonly #place: string

  constructor(key: Uint8Array, workspaceId: string) {
    this.#key = key
    this.#place = `thought of ${workspaceId}`
  }

  seal({ text, proof }: SealedThought): string {
    return seal(this.#key, this.#place, `${proof.length}:${proof}${text}`).toString('base64')
  }

  /** Null for a signature that is not ours, or not of this workspace. */
  open(signature: string): SealedThought | null {
    const thought = openSealed(this.#key, this.#place, Buffer.from(signature, 'base64'))
    return thought === null ? null : readThought(thought)
  }

  /** Puts back the thoughts that were passed back, and drops those that cannot be verified. */
  restore(request: CallRequest): CallRequest {
    const messages = request.messages.map((message) => ({
      ...message,
      blocks: message.blocks.flatMap((block): Block[] => {
        if (block.type !== 'thinking') return [block]
        const thought = this.open(block.signature)
        if (!thought) return []
        const { text, proof } = thought
        return [{ ...block, text, ...(proof === '' ? {} : { proof }) }]
      }),
    }))
    const kept = messages.filter(({ blocks }) => blocks.length > 0)
    if (kept.length === 0)
      throw bad(
        'messages',
        'messages has no content that a model can read; send at least one text block.',
      )
    return { ...request, messages: kept }
  }
}

function readThought(thought: string): SealedThought {
  const colon = thought.indexOf(':')
  const end = colon + 1 + Number(thought.slice(0, colon))
  return { proof: thought.slice(colon + 1, end), text: thought.slice(end) }
}
