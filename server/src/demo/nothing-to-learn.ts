// The second act: every ticket has a right answer of its own, so that there is nothing to learn. What comes out of the training is
// tested like any other, and turned down.
import type { TrainingSettings } from '#contract/training.ts'
import { showAttempt } from './show-attempt.ts'
import { feedPipeline } from './feed-pipeline.ts'
import { runAttempt } from './run-attempt.ts'
import type { Stage } from './stage.ts'
import { DemoFailure } from './stop-reasons.ts'
import { readTickets, withoutScheme } from './tickets.ts'

const rows = 1100
/** However long it trains, the outcome is the same. */
const training: Partial<TrainingSettings> = { epochs: 1 }

export async function nothingToLearn(stage: Stage): Promise<void> {
  const { client, paper } = stage
  const tickets = [...(await readTickets('train')), ...(await readTickets('unseen'))]
  paper.heading('5. Where nothing can be learned, nothing goes live')
  paper.paragraph(
    'Now the same tickets, each with a code of its own that follows from nothing. A training learns no rule from that, and Hone has to notice.',
  )
  paper.line()
  const senseless = withoutScheme(tickets.slice(0, rows))
  const pipeline = await feedPipeline(stage, 'Senseless routing', senseless, training)
  const attempt = await runAttempt(stage, pipeline)
  paper.line()
  showAttempt(paper, attempt)
  if (attempt.result !== 'not_better') {
    throw new DemoFailure(`The second attempt ended as ${attempt.result}, not as not_better.`)
  }
  paper.line()
  await client.call<{ error: { message: string } }>('POST', '/v1/chat/completions', {
    body: { model: pipeline.model_name, messages: [{ role: 'user', content: 'Hello' }] },
    refusedWith: 404,
    tells: ({ error }) => error.message,
  })
}
