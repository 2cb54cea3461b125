// Which model scores answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JudgeCandidate, pickJudge } from '#server/loop/pipeline/pick-judge.ts'

const model = (
  id: string,
  output: bigint,
  { input = 1n, judge = false, chat = true }: Partial<JudgeCandidate> = {},
): JudgeCandidate => ({ id, judge, chat, output, input })

const cases: [
  what: string,
  candidates: JudgeCandidate[],
  named: string | null,
  expected: string | null,
][] = [
  ['the one that is named', [model('own', 1n), model('a', 9n, { judge: true })], 'own', 'own'],
  ['none, when what is named is not there', [model('a', 9n, { judge: true })], 'gone', null],
  [
    'the dearest judge, although a chat model is dearer',
    [
      model('chat', 99n),
      model('cheap', 1n, { judge: true }),
      model('dear', 2n, { judge: true, chat: false }),
    ],
    null,
    'dear',
  ],
  [
    'of judges whose output costs the same, the one with the dearer input',
    [model('a', 5n, { judge: true, input: 1n }), model('b', 5n, { judge: true, input: 2n })],
    null,
    'b',
  ],
  [
    'of judges of one price, the first in the catalog',
    [model('b', 5n, { judge: true }), model('a', 5n, { judge: true })],
    null,
    'b',
  ],
  [
    "the pipeline's own model, when it is a judge",
    [model('own', 1n, { judge: true })],
    null,
    'own',
  ],
  [
    "without a judge, the dearest chat model that is not the pipeline's own",
    [model('own', 99n), model('a', 1n), model('b', 2n), model('basic', 50n, { chat: false })],
    null,
    'b',
  ],
  ["none, when there is only the pipeline's own model", [model('own', 99n)], null, null],
  ['none, in an empty catalog', [], null, null],
]

for (const [what, candidates, named, expected] of cases) {
  test(`it is ${what}`, () => {
    assert.equal(pickJudge(candidates, 'own', named), expected)
  })
}
