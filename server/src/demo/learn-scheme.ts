// The first act: people corrected tickets by a scheme that the model does not know. It learns the scheme, passes the test, goes live,
// and is right about tickets in other words.
import type { TrainingSettings } from '#contract/training.ts'
import { askAll, askLive, countRight, type Replied } from './ask-tickets.ts'
import { showAttempt } from './show-attempt.ts'
import { baseModel, feedPipeline } from './feed-pipeline.ts'
import { clipped, counted } from './printout.ts'
import { runAttempt } from './run-attempt.ts'
import type { Stage } from './stage.ts'
import { DemoFailure } from './stop-reasons.ts'
import { readTickets, type Ticket } from './tickets.ts'

/** The fewest that a first attempt takes: 1,000 to train on, and 100 for the test. */
const quickTickets = 1100
const quickApart = 60
/** Characters of a ticket that is shown. */
const textIdeal = 56
/** Little training at ten times the automatic rate. */
const quickTraining: Partial<TrainingSettings> = { epochs: 1, learning_rate: 0.003 }

export async function learnScheme(stage: Stage): Promise<void> {
  const { paper, quick } = stage
  const all = [...(await readTickets('train')), ...(await readTickets('unseen'))]
  const corrected = quick ? all.slice(0, quickTickets) : all
  const apart = (await readTickets('new-wording')).slice(0, quick ? quickApart : undefined)

  paper.heading('2. What the model should learn')
  paper.paragraph(
    `A service desk routes tickets by codes of its own, which no model can know. Of ${counted(corrected.length, 'ticket')} people have written the right code:`,
  )
  for (const { text, code } of oneOfEach(corrected)) paper.line(`  ${code}  ${text}`)
  paper.paragraph(
    `${apart.length} more are kept apart. They say the same in other sentences, and are never imported. The base model first:`,
  )
  paper.line()
  const before = await ask(stage, baseModel, apart)

  paper.heading('3. It learns, and is tested on what was held back')
  const training = quick ? quickTraining : null
  const pipeline = await feedPipeline(stage, 'Ticket routing', corrected, training)
  const attempt = await runAttempt(stage, pipeline)
  paper.line()
  showAttempt(paper, attempt)
  if (attempt.result !== 'became_version') {
    throw new DemoFailure(`The first attempt ended as ${attempt.result} and did not go live.`)
  }

  const { model_name: name } = pipeline
  paper.heading(`4. The tickets that were kept apart, asked of ${name}`)
  const after = await ask(stage, name, apart)
  paper.line()
  showBeforeAndAfter(stage, before, after)
  const learned = after.find(({ ticket, reply }) => reply === ticket.code)
  if (!learned) throw new DemoFailure(`${name} is live and has no code right.`)
  paper.line()
  paper.paragraph('Once more, as a stream:')
  const live = await askLive(stage, name, learned.ticket)
  if (live !== learned.ticket.code) {
    throw new DemoFailure(`${name} streamed "${live}" where ${learned.ticket.code} is right.`)
  }
}

async function ask(stage: Stage, model: string, tickets: Ticket[]): Promise<Replied[]> {
  const replied = await askAll(stage, model, tickets)
  stage.paper.line(
    `  ... and ${tickets.length - 1} more: ${countRight(replied)} of ${tickets.length} right`,
  )
  return replied
}

function showBeforeAndAfter({ paper }: Stage, before: Replied[], after: Replied[]): void {
  const shown = new Set(oneOfEach(after.map(({ ticket }) => ticket)))
  paper.line(row('right', 'before', 'now', 'ticket'))
  after.forEach(({ ticket, reply }, index) => {
    if (!shown.has(ticket)) return
    const was = before[index]?.reply ?? ''
    paper.line(row(ticket.code, clipped(was, 14), clipped(reply, 14), clipped(ticket.text, 60)))
  })
  const count = `of ${after.length}`
  paper.line(row('', `${countRight(before)} ${count}`, `${countRight(after)} ${count}`, ''))
}

function row(right: string, before: string, now: string, ticket: string): string {
  return `${right.padEnd(9)}${before.padEnd(16)}${now.padEnd(16)}${ticket}`.trimEnd()
}

/** Of each code the ticket that fits its line best. */
function oneOfEach(tickets: Ticket[]): Ticket[] {
  const misfit = ({ text }: Ticket): number => Math.abs(text.length - textIdeal)
  return [...Map.groupBy(tickets, ({ code }) => code).values()].map(
    (some) => some.sort((a, b) => misfit(a) - misfit(b))[0]!,
  )
}
