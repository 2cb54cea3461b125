// What is billed of the counts that servers of the chat dialect send, each in its own words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countsIn,
  countsOfTimings,
  laterCounts,
  readUsage,
} from '#server/engine/openai-compatible/read-counts.ts'
import type { Json } from '#server/lib/json-object.ts'

type Row = {
  counts: Json
  thinks?: boolean
  /** input, read, written for 5 minutes, written for 1 hour, output, thinking */
  bill: [number, number, number, number, number, number]
  report?: string
}

const plain = { prompt_tokens: 100, completion_tokens: 30 }
const cached = (cached_tokens: number) => ({ ...plain, prompt_tokens_details: { cached_tokens } })

const table: Record<string, Row> = {
  'prompt and completion': { counts: plain, bill: [100, 0, 0, 0, 30, 0] },
  'input and output': {
    counts: { input_tokens: 100, output_tokens: 30 },
    bill: [100, 0, 0, 0, 30, 0],
  },
  'details that are nothing': {
    counts: { ...plain, prompt_tokens_details: null, completion_tokens_details: null },
    bill: [100, 0, 0, 0, 30, 0],
  },
  'a null for what was read': {
    counts: { ...plain, prompt_tokens_details: { cached_tokens: null } },
    bill: [100, 0, 0, 0, 30, 0],
  },
  'what was read': { counts: cached(40), bill: [60, 40, 0, 0, 30, 0], report: 'reads' },
  'nothing was read': { counts: cached(0), bill: [100, 0, 0, 0, 30, 0], report: 'reads' },
  'more was read than there is': {
    counts: cached(101),
    bill: [0, 100, 0, 0, 30, 0],
    report: 'reads',
  },
  'what was read, beside input_tokens': {
    counts: { input_tokens: 100, output_tokens: 30, input_tokens_details: { cached_tokens: 40 } },
    bill: [60, 40, 0, 0, 30, 0],
    report: 'reads',
  },
  ...Object.fromEntries(
    ['cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'].map((name) => [
      `what was read, as ${name}`,
      { counts: { ...plain, [name]: 40 }, bill: [60, 40, 0, 0, 30, 0], report: 'reads' },
    ]),
  ),
  'what was written, each for its time': {
    counts: {
      ...plain,
      prompt_tokens_details: {
        cached_tokens: 10,
        cache_write_5m_tokens: 20,
        cache_write_1h_tokens: 30,
        cache_write_tokens: 50,
      },
    },
    bill: [40, 10, 20, 30, 30, 0],
    report: 'reads-and-writes',
  },
  'what was written for an hour alone': {
    counts: { ...plain, prompt_tokens_details: { cache_write_1h_tokens: 30 } },
    bill: [70, 0, 0, 30, 30, 0],
    report: 'reads-and-writes',
  },
  'nothing was written': {
    counts: { ...plain, prompt_tokens_details: { cache_write_5m_tokens: 0 } },
    bill: [100, 0, 0, 0, 30, 0],
    report: 'reads-and-writes',
  },
  'what was written, and not for how long': {
    counts: {
      input_tokens: 100,
      output_tokens: 30,
      input_tokens_details: { cached_tokens: 10, cache_write_tokens: 20 },
    },
    bill: [70, 10, 20, 0, 30, 0],
    report: 'reads-and-total-writes',
  },
  'more was written than there is': {
    counts: {
      ...plain,
      prompt_tokens_details: {
        cached_tokens: 60,
        cache_write_5m_tokens: 30,
        cache_write_1h_tokens: 25,
      },
    },
    bill: [0, 60, 15, 25, 30, 0],
    report: 'reads-and-writes',
  },
  'more was written for an hour than is left': {
    counts: {
      ...plain,
      prompt_tokens_details: {
        cached_tokens: 60,
        cache_write_5m_tokens: 30,
        cache_write_1h_tokens: 45,
      },
    },
    bill: [0, 60, 0, 40, 30, 0],
    report: 'reads-and-writes',
  },
  'thoughts as a part of the completion': {
    counts: { ...plain, total_tokens: 130, completion_tokens_details: { reasoning_tokens: 20 } },
    bill: [100, 0, 0, 0, 30, 20],
  },
  'thoughts as a part of the output': {
    counts: {
      input_tokens: 100,
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 20 },
    },
    bill: [100, 0, 0, 0, 30, 20],
  },
  'thoughts as SGLang counts them': {
    counts: { ...plain, reasoning_tokens: 20 },
    bill: [100, 0, 0, 0, 30, 20],
  },
  'more thoughts than output': {
    counts: { ...plain, reasoning_tokens: 31 },
    bill: [100, 0, 0, 0, 30, 30],
  },
  'thoughts beside the completion': {
    counts: { ...plain, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 20 } },
    bill: [100, 0, 0, 0, 50, 20],
  },
  'thoughts in the total alone, of a model that thinks': {
    counts: { ...plain, total_tokens: 150 },
    thinks: true,
    bill: [100, 0, 0, 0, 50, 20],
  },
  'a larger total of a model that does not think': {
    counts: { ...plain, total_tokens: 150 },
    bill: [100, 0, 0, 0, 30, 0],
  },
  'a smaller total': {
    counts: { ...plain, total_tokens: 120 },
    thinks: true,
    bill: [100, 0, 0, 0, 30, 0],
  },
  'a total with a cached prompt beside it': {
    counts: { ...plain, total_tokens: 150, cache_read_input_tokens: 20 },
    thinks: true,
    bill: [80, 20, 0, 0, 30, 0],
    report: 'reads',
  },
  'a total that is no count': {
    counts: { ...plain, total_tokens: 150.5 },
    thinks: true,
    bill: [100, 0, 0, 0, 30, 0],
  },
}

for (const [what, { counts, thinks = false, bill, report }] of Object.entries(table)) {
  test(`billed: ${what}`, () => {
    const { usage, cacheReport } = readUsage(counts, { thinks })
    assert.deepEqual(
      [
        usage.inputTokens,
        usage.cacheReadTokens,
        usage.cacheWrite5mTokens,
        usage.cacheWrite1hTokens,
        usage.outputTokens,
        usage.thinkingTokens,
      ],
      bill,
    )
    assert.equal(cacheReport, report ?? null)
  })
}

test('of counts that grow with a stream the last are billed, unless they are zeros', () => {
  const first = { prompt_tokens: 7, completion_tokens: 1 }
  const last = { prompt_tokens: 7, completion_tokens: 3 }
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const half = { prompt_tokens: 7, completion_tokens: 0 }
  assert.equal(laterCounts(null, first), first)
  assert.equal(laterCounts(first, last), last)
  assert.equal(laterCounts(first, half), half)
  assert.equal(laterCounts(last, zeros), last)
  assert.equal(laterCounts(last, null), last)
  assert.equal(laterCounts(null, zeros), zeros)
  assert.equal(laterCounts(null, null), null)
})

test('counts are found wherever a server puts them, and empty ones are none', () => {
  const empty = { prompt_tokens: null }
  assert.equal(countsIn({ usage: plain }, null), plain)
  assert.equal(countsIn({ usage: empty }, { usage: plain }), plain)
  assert.equal(countsIn({ x_groq: { usage: plain } }, { usage: empty }), plain)
  assert.equal(countsIn({ usage: empty, x_groq: null }, {}), null)
})

test('timings of llama.cpp are counts', () => {
  assert.deepEqual(countsOfTimings({ prompt_n: 60, cache_n: 40, predicted_n: 30 }), {
    prompt_tokens: 100,
    completion_tokens: 30,
    cached_tokens: 40,
  })
  assert.deepEqual(countsOfTimings({ prompt_n: 60, predicted_n: 30 }), {
    prompt_tokens: 60,
    completion_tokens: 30,
  })
})
