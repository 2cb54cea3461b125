// The port behind which a conversation becomes the tokens of a training row, as the trainer of a model takes it.
import type { CallRequest } from '../core/request.ts'
import type { TrainingRow } from './compute.ts'

/** Its last message is the answer that is to be learned. */
export type AnsweredConversation = Pick<CallRequest, 'tools' | 'system' | 'messages'>

export interface RowEncoder {
  /** `template`: the chat template has no place for it, or renders it in a way that cannot be learned. */
  encode(conversation: AnsweredConversation): TrainingRow | 'too_long' | 'template'
}
