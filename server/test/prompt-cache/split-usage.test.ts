// How a prompt's tokens are split for the bill, and shared out where an engine counted only the whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noUsage, promptTokens, type Usage } from '#server/core/usage.ts'
import type { Breakpoint } from '#server/prompt-cache/place-breakpoints.ts'
import { shareOutTokens } from '#server/prompt-cache/share-out-tokens.ts'
import { type Hit, splitUsage } from '#server/prompt-cache/split-usage.ts'
import { at } from './requests.ts'

const hitOf = (blocks: number, tokens: number | null = null): Hit => ({ blocks, tokens, ttl: '5m' })

type Row = {
  total: number
  blocks: number[]
  hit?: Hit
  at: Breakpoint[]
  min?: number
  /** input, read, written for 5 minutes, written for 1 hour */
  bill: [number, number, number, number]
}

const table: Record<string, Row> = {
  'no breakpoint: all of it is plain input': {
    total: 300,
    blocks: [100, 200],
    at: [],
    bill: [300, 0, 0, 0],
  },
  'rule 2: what lies behind the last breakpoint is plain input': {
    total: 300,
    blocks: [100, 200],
    at: [at(0)],
    bill: [200, 0, 100, 0],
  },
  'rule 1: a breakpoint writes everything up to and including its block': {
    total: 300,
    blocks: [100, 200],
    at: [at(1)],
    bill: [0, 0, 300, 0],
  },
  'rule 1: a hit is read and the rest is written': {
    total: 600,
    blocks: [100, 200, 300],
    hit: hitOf(1),
    at: [at(1)],
    bill: [300, 100, 200, 0],
  },
  'a hit at the breakpoint itself writes nothing': {
    total: 600,
    blocks: [100, 200, 300],
    hit: hitOf(2),
    at: [at(1)],
    bill: [300, 300, 0, 0],
  },
  'rule 8: a write for an hour': {
    total: 300,
    blocks: [100, 200],
    at: [at(0, '1h')],
    bill: [200, 0, 0, 100],
  },
  'rule 10: up to the last 1h at its rate, from there to the last 5m at that one': {
    total: 1500,
    blocks: [100, 200, 300, 400, 500],
    at: [at(0, '1h'), at(1, '1h'), at(2), at(3)],
    bill: [500, 0, 700, 300],
  },
  'rule 10: a hit inside of the 1h part': {
    total: 1500,
    blocks: [100, 200, 300, 400, 500],
    hit: hitOf(1),
    at: [at(1, '1h'), at(3)],
    bill: [500, 100, 700, 200],
  },
  'rule 10: a hit behind the 1h part': {
    total: 1500,
    blocks: [100, 200, 300, 400, 500],
    hit: hitOf(3),
    at: [at(1, '1h'), at(3)],
    bill: [500, 600, 400, 0],
  },
  'rule 4: what the platform writes is plain input': {
    total: 600,
    blocks: [100, 200, 300],
    at: [at(0, '5m', false), at(2, '5m', false)],
    bill: [600, 0, 0, 0],
  },
  'rule 4: and is read at the cache-read rate': {
    total: 600,
    blocks: [100, 200, 300],
    hit: hitOf(2),
    at: [at(2, '5m', false)],
    bill: [300, 300, 0, 0],
  },
  'rule 16: one token short of the minimum is not written': {
    total: 1500,
    blocks: [1023, 477],
    at: [at(0)],
    min: 1024,
    bill: [1500, 0, 0, 0],
  },
  'rule 16: the minimum is written': {
    total: 1500,
    blocks: [1024, 476],
    at: [at(0)],
    min: 1024,
    bill: [476, 0, 1024, 0],
  },
  'rule 16: one token short of the minimum is not read': {
    total: 1500,
    blocks: [1023, 477],
    hit: hitOf(1),
    at: [at(0)],
    min: 1024,
    bill: [1500, 0, 0, 0],
  },
  'rule 16: the minimum is read': {
    total: 1500,
    blocks: [1024, 476],
    hit: hitOf(1),
    at: [at(0)],
    min: 1024,
    bill: [476, 1024, 0, 0],
  },
  'rule 16: a short prefix does not keep a long one from being written': {
    total: 1500,
    blocks: [100, 1400],
    at: [at(0, '1h'), at(1)],
    min: 1024,
    bill: [0, 0, 1500, 0],
  },
  'a read bills what was remembered of the write': {
    total: 300,
    blocks: [100, 200],
    hit: hitOf(1, 120),
    at: [at(1)],
    bill: [0, 120, 180, 0],
  },
  'a remembered count is never more than the prompt': {
    total: 300,
    blocks: [100, 200],
    hit: hitOf(2, 999),
    at: [at(1)],
    bill: [0, 300, 0, 0],
  },
  'a remembered count above the breakpoint leaves nothing to write': {
    total: 300,
    blocks: [100, 100, 100],
    hit: hitOf(1, 250),
    at: [at(1)],
    bill: [50, 250, 0, 0],
  },
  'tokens that belong to no block are plain input': {
    total: 310,
    blocks: [100, 200],
    at: [at(1)],
    bill: [10, 0, 300, 0],
  },
  'counts of blocks are never more than the prompt': {
    total: 150,
    blocks: [100, 200],
    at: [at(1)],
    bill: [0, 0, 150, 0],
  },
  'an empty prompt': { total: 0, blocks: [], at: [], bill: [0, 0, 0, 0] },
}

for (const [what, row] of Object.entries(table)) {
  test(what, () => {
    const { usage } = splitUsage(
      { ...noUsage, inputTokens: row.total, outputTokens: 7, thinkingTokens: 3 },
      {
        tokensPerBlock: row.blocks,
        hit: row.hit ?? null,
        breakpoints: row.at,
        minTokens: row.min ?? 1,
      },
    )
    const [inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens] = row.bill
    assert.deepEqual(usage, {
      inputTokens,
      cacheReadTokens,
      cacheWrite5mTokens,
      cacheWrite1hTokens,
      outputTokens: 7,
      thinkingTokens: 3,
    })
  })
}

const anyCase = fc
  .record({
    tokensPerBlock: fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 12 }),
    tail: fc.integer({ min: -50, max: 50 }),
    hitAt: fc.option(fc.nat({ max: 11 })),
    remembered: fc.option(fc.nat({ max: 4000 })),
    hours: fc.array(fc.nat({ max: 11 }), { maxLength: 2 }),
    minutes: fc.array(fc.nat({ max: 11 }), { maxLength: 2 }),
    premium: fc.boolean(),
    minTokens: fc.integer({ min: 1, max: 1500 }),
  })
  .map((values) => {
    const last = values.tokensPerBlock.length - 1
    const sum = values.tokensPerBlock.reduce((a, b) => a + b, 0)
    const breakpoints = [
      ...values.hours.map((index) => at(Math.min(index, last), '1h', values.premium)),
      ...values.minutes.map((index) => at(Math.min(index, last), '5m', values.premium)),
    ]
    const hit =
      values.hitAt === null ? null : hitOf(Math.min(values.hitAt, last) + 1, values.remembered)
    return {
      total: Math.max(0, sum + values.tail),
      prompt: {
        tokensPerBlock: values.tokensPerBlock,
        hit,
        breakpoints,
        minTokens: values.minTokens,
      },
    }
  })

const billOf = (total: number, prompt: Parameters<typeof splitUsage>[1]): Usage =>
  splitUsage({ ...noUsage, inputTokens: total }, prompt).usage

test('the parts are whole, not negative, and add up to the prompt', () => {
  fc.assert(
    fc.property(anyCase, ({ total, prompt }) => {
      const bill = billOf(total, prompt)
      assert.equal(promptTokens(bill), total)
      for (const value of Object.values(bill)) assert.ok(Number.isInteger(value) && value >= 0)
    }),
    { numRuns: 2000 },
  )
})

test('rule 16: whatever is read or written is at least the minimum', () => {
  fc.assert(
    fc.property(anyCase, ({ total, prompt }) => {
      const bill = billOf(total, prompt)
      const cached = total - bill.inputTokens
      assert.ok(cached === 0 || cached >= prompt.minTokens)
      assert.ok(bill.cacheReadTokens === 0 || bill.cacheReadTokens >= prompt.minTokens)
    }),
    { numRuns: 2000 },
  )
})

test('a longer hit reads no less and writes no more', () => {
  fc.assert(
    fc.property(anyCase, fc.nat({ max: 11 }), ({ total, prompt }, more) => {
      if (!prompt.hit) return
      const blocks = Math.min(prompt.hit.blocks + more, prompt.tokensPerBlock.length)
      const shorter = billOf(total, { ...prompt, hit: hitOf(prompt.hit.blocks) })
      const longer = billOf(total, { ...prompt, hit: hitOf(blocks) })
      assert.ok(longer.cacheReadTokens >= shorter.cacheReadTokens)
      assert.ok(
        longer.cacheWrite5mTokens + longer.cacheWrite1hTokens <=
          shorter.cacheWrite5mTokens + shorter.cacheWrite1hTokens,
      )
    }),
    { numRuns: 2000 },
  )
})

test('what entries remember grows with their prefix and stays within the prompt', () => {
  fc.assert(
    fc.property(anyCase, ({ total, prompt }) => {
      const { tokensOf } = splitUsage({ ...noUsage, inputTokens: total }, prompt)
      let before = 0
      for (let blocks = 0; blocks <= prompt.tokensPerBlock.length; blocks++) {
        const tokens = tokensOf(blocks)
        assert.ok(tokens >= before && tokens <= total)
        before = tokens
      }
    }),
    { numRuns: 2000 },
  )
})

test('entries remember the prefix that is read as it was written, whatever is counted of it now', () => {
  const counted = { tokensPerBlock: [100, 100, 100, 100], breakpoints: [], minTokens: 1 }
  const usage = { ...noUsage, inputTokens: 400 }
  for (const [remembered, expected] of [
    [350, [100, 350, 350, 400]],
    [200, [100, 200, 300, 400]],
    [50, [50, 50, 300, 400]],
  ] as const) {
    const { tokensOf } = splitUsage(usage, { ...counted, hit: hitOf(2, remembered) })
    assert.deepEqual([1, 2, 3, 4].map(tokensOf), expected)
  }
})

test('a total is shared out by weight', () => {
  assert.deepEqual(shareOutTokens(100, [1, 1, 2]), [25, 25, 50])
  assert.deepEqual(shareOutTokens(10, [1, 1, 1]), [3, 3, 4])
  assert.deepEqual(shareOutTokens(0, [1, 2]), [0, 0])
  assert.deepEqual(shareOutTokens(5, [0, 0]), [0, 5])
  assert.deepEqual(shareOutTokens(5, []), [])
})

const weights = fc.array(fc.nat({ max: 40_000_000 }), { minLength: 1, maxLength: 30 })

test('shares add up to the total and no prefix is off by a token', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 }), weights, (total, parts) => {
      const shares = shareOutTokens(total, parts)
      assert.equal(
        shares.reduce((a, b) => a + b, 0),
        total,
      )
      const whole = BigInt(parts.reduce((a, b) => a + b, 0))
      if (whole === 0n) return
      let weight = 0n
      let tokens = 0
      for (const [index, share] of shares.entries()) {
        assert.ok(share >= 0)
        weight += BigInt(parts[index] ?? 0)
        tokens += share
        const due = BigInt(total) * weight
        assert.ok(BigInt(tokens) * whole <= due && BigInt(tokens + 1) * whole > due)
      }
    }),
  )
})
