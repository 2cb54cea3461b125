// The bundled model learns, for real and in little time: tickets it has not learned from go from wrong to mostly right.
// The full case, with the automatic settings, is `npm run hone -- learn-demo`.
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { learnRouting } from '#server/demo/learn-routing.ts'

test('a short training raises the share of unseen tickets that are routed right', async () => {
  const { before, after, tickets, outcome } = await learnRouting({
    samplesMax: 480,
    ticketsMax: 60,
    // Two passes at ten times the automatic rate are enough to see it learn.
    settings: { epochs: 2, learning_rate: 0.002 },
    threads: availableParallelism(),
    say: () => {},
  })
  console.log(
    `unseen ${before.unseen} -> ${after.unseen}, new wording ${before.newWording} -> ${after.newWording}, of ${tickets.unseen} each`,
  )
  assert.equal(outcome.state, 'succeeded')
  assert.ok(before.unseen <= tickets.unseen * 0.1)
  assert.ok(after.unseen >= tickets.unseen * 0.5)
  assert.ok(after.unseen > before.unseen && after.newWording > before.newWording)
})
