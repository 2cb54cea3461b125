// The most that testing a sample can cost, and how many samples the money is enough for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogModel } from '#server/catalog/catalog-file.ts'
import type { Block } from '#server/core/block.ts'
import type { CallRequest } from '#server/core/request.ts'
import { promptTokensMax } from '#server/inference/prompt-tokens-max.ts'
import { likelyTokens } from '#server/loop/test/judge/likely-tokens.ts'
import {
  howManyToTest,
  mostATestCosts,
  mostForSizes,
  usualForSizes,
} from '#server/loop/test/judge/test-cost.ts'
import { readingRequest } from '#server/loop/test/judge/test-request.ts'
import { leastSizes, testSizes } from '#server/loop/test/judge/test-sizes.ts'
import { catalogRow as row } from '#test/support/catalog-rows.ts'

test('tokens are half of the letters of words, and every other byte', () => {
  for (const [text, tokens] of [
    ['', 0],
    ['Thank you', 5],
    ['a\nb', 2],
    ['2026, 42%', 8 + 1],
    ['字😀é', 3 + 4 + 2],
    ['x'.repeat(24), 12],
    // No word of a language, but a key.
    ['x'.repeat(25), 25],
  ] as const) {
    assert.equal(likelyTokens(text), tokens, text)
  }
})

const say = (content: string) => ({ type: 'text', text: content }) as const
const asking = (content: string, right = 'Yes.') => ({
  conversation: {
    tools: [],
    system: [],
    messages: [{ role: 'user' as const, blocks: [say(content)] as Block[] }],
  },
  rightAnswer: [say(right)],
  rubric: null,
})
const free = row('free', 0, 0)

test('two answers, four readings and one repair are paid for', () => {
  const sample = asking('Is it so?')
  const output = (judge: CatalogModel) =>
    mostATestCosts(sample, { candidate: free, live: free, judge })
  // A reading has up to 200 tokens, at a millionth of a dollar each.
  assert.equal(output(row('judge', 0, 1)), 5n * 200n * 1_000_000n)
  const models = { candidate: row('new', 0, 1), live: row('live', 0, 2), judge: free }
  assert.equal(mostATestCosts(sample, models), 256n * 3_000_000n)
})

test('what is read is paid for: questions by both models, and by the judge with up to two answers each time', () => {
  const [short, long] = [asking(''), asking('abc'.repeat(7).concat(' ').repeat(1000))]
  const more = (models: Parameters<typeof mostATestCosts>[1]) =>
    mostATestCosts(long, models) - mostATestCosts(short, models)
  const tokens = 11_000n
  assert.equal(more({ candidate: row('new', 1, 0), live: free, judge: free }), tokens * 1_000_000n)
  assert.equal(more({ candidate: free, live: row('live', 1, 0), judge: free }), tokens * 1_000_000n)
  const judge = row('judge', 1, 0)
  assert.equal(more({ candidate: free, live: free, judge }), 5n * tokens * 1_000_000n)
  // Two scores with one answer, three comparisons with both, and the right answer each time.
  const ofLength = (length: number) =>
    mostATestCosts(asking('', 'x '.repeat(length / 2)), { candidate: free, live: free, judge })
  assert.equal(ofLength(800) - ofLength(300), (500n * 8n + 250n * 5n) * 1_000_000n)
})

test('the marks of the longest judge prompt are bounded, and so is what a second try adds', () => {
  const question = {
    kind: 'pair',
    question: '',
    rightAnswer: '',
    rubric: '',
    a: '',
    b: '',
  } as const
  const asked = { judgeModel: 'judge', row: free, question }
  const bytesOf = (request: CallRequest) =>
    promptTokensMax(request) - Buffer.byteLength(request.system[0]!.text)
  const first = bytesOf(readingRequest(asked))
  const unreadable = 'It held no verdict, although there is a right answer.'
  assert.ok(first <= 700, `${first}`)
  assert.ok(bytesOf(readingRequest({ ...asked, unreadable })) - first <= 256)
})

test('nothing is paid for that is not read: beyond a window, or beyond the longest question of a test', () => {
  const sample = asking('字'.repeat(100_000))
  const candidate = row('new', 1, 0)
  const ofNew = (model: CatalogModel) =>
    mostATestCosts(sample, { candidate: model, live: free, judge: free })
  assert.equal(ofNew(candidate), 32_768n * 1_000_000n)
  assert.equal(ofNew(row('new', 1, 0, { context_window: 8192 })), 8192n * 1_000_000n)
  const judge = row('judge', 1, 0, { context_window: 8192 })
  const longAnswer = asking('', '字'.repeat(10_000))
  const inWindow = mostATestCosts(longAnswer, { candidate: free, live: free, judge })
  assert.equal(inWindow, 5n * 8192n * 1_000_000n)
})

test('a test costs as a rule what the right answers and one sentence of the judge cost', () => {
  const sizes = { ...testSizes(asking('Is it so?')), promptTokens: 10, answerTokens: 4 }
  const models = { candidate: row('new', 1, 2), live: row('live', 1, 2), judge: free, rubric: null }
  assert.equal(usualForSizes(sizes, models), 2n * (10n + 2n * 4n) * 1_000_000n)
  const judged = { candidate: free, live: free, judge: row('judge', 0, 1), rubric: null }
  assert.equal(usualForSizes(sizes, judged), 4n * 60n * 1_000_000n)
  // Where a tokenizer makes more of it than is likely, it costs the most.
  const odd = { ...sizes, promptTokens: 100_000 }
  assert.equal(usualForSizes(odd, models), mostForSizes(odd, models))
})

test('a judge that reads a part of the question is paid for that', () => {
  const sizes = { ...leastSizes, shown: 40_000, shownBytes: 80_000 }
  const by = (context_window: number) => {
    const judge = row('judge', 1, 0, { context_window })
    return mostForSizes(sizes, { candidate: free, live: free, judge, rubric: null })
  }
  assert.equal(by(100_000) - by(40_000), 5n * 20_000n * 1_000_000n)
})

test('as many samples are tested as the money surely pays for, in their order', () => {
  for (const [costs, money, count] of [
    [[], 10n, 0],
    [[4n, 4n, 4n], 12n, 3],
    [[4n, 4n, 4n], 11n, 2],
    [[11n, 1n], 10n, 0],
    [[4n, 20n, 1n], 10n, 1],
    [[0n, 0n], 0n, 2],
  ] as const) {
    assert.equal(howManyToTest(costs, money), count)
  }
})
