// The right answer to a sample, by the feedback that counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import {
  type CountingFeedback,
  type RightAnswer,
  rightAnswer,
} from '#server/samples/feedback/right-answer.ts'

const answer: Block[] = [
  { type: 'text', text: 'I look it up.' },
  { type: 'tool-call', id: 'call_1', name: 'find', arguments: '{"order":7}' },
]
const corrected: Block[] = [{ type: 'text', text: 'On Monday.' }]

const cases: [string, Block[] | null, CountingFeedback, RightAnswer | null][] = [
  [
    'a good answer is right as it is, tool calls included',
    answer,
    { verdict: 'accepted', verdictBy: 'person', correction: null },
    { blocks: answer, gold: true },
  ],
  [
    'so is one that an import brought as good',
    answer,
    { verdict: 'accepted', verdictBy: 'import', correction: null },
    { blocks: answer, gold: true },
  ],
  [
    'a judge counts like good, but is not gold',
    answer,
    { verdict: 'accepted', verdictBy: 'judge', correction: null },
    { blocks: answer, gold: false },
  ],
  [
    'a correction is the right answer',
    answer,
    { verdict: 'edited', verdictBy: 'person', correction: 'On Monday.' },
    { blocks: corrected, gold: true },
  ],
  [
    'also to a question that nobody answered',
    null,
    { verdict: 'edited', verdictBy: 'import', correction: 'On Monday.' },
    { blocks: corrected, gold: true },
  ],
  [
    'a bad answer has none',
    answer,
    { verdict: 'rejected', verdictBy: 'person', correction: null },
    null,
  ],
  ['nor has an unreviewed one', answer, { verdict: null, verdictBy: null, correction: null }, null],
  [
    'nor a question without an answer',
    null,
    { verdict: 'accepted', verdictBy: 'person', correction: null },
    null,
  ],
]

for (const [name, given, feedback, expected] of cases) {
  test(name, () => assert.deepEqual(rightAnswer({ answer: given }, feedback), expected))
}
