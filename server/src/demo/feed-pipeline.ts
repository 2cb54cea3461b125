// A pipeline on the model that comes with Hone, and the corrected tickets that it learns from.
import type { ImportResult } from '#contract/import.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { TrainingSettings } from '#contract/training.ts'
import { counted } from './printout.ts'
import type { Stage } from './stage.ts'
import { correctedRow, type Ticket } from './tickets.ts'

export const baseModel = 'hone/hone-mini'
/** It knows nothing, and needs to: an answer of a word must be the right one. */
const judge = 'hone/judge-basic'

export async function feedPipeline(
  { client }: Stage,
  name: string,
  tickets: Ticket[],
  training: Partial<TrainingSettings> | null,
): Promise<Pipeline> {
  const { pipeline } = await client.call<{ pipeline: Pipeline }>('POST', '/api/loop/pipelines', {
    body: {
      name,
      model: { id: baseModel },
      judge_model: { id: judge },
      ...(training === null ? {} : { training }),
    },
    tells: (answer) => `what it learns will answer as ${answer.pipeline.model_name}`,
  })
  await client.call<ImportResult>('POST', `/api/loop/pipelines/${pipeline.rule_id}/import`, {
    body: { rows: tickets.map(correctedRow) },
    tells: ({ imported, reviewed }) =>
      `${counted(imported, 'sample')}, ${reviewed === imported ? 'all' : reviewed} corrected`,
  })
  return pipeline
}
