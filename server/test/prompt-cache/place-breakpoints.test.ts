// Which breakpoints are in force, by model and by what the caller placed, and what they can read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, CacheMark, TextBlock } from '#server/core/block.ts'
import { type CallRequest, noCachePreference } from '#server/core/request.ts'
import { lookBack } from '#server/prompt-cache/look-back.ts'
import {
  type Breakpoint,
  type ModelCaching,
  placeBreakpoints,
} from '#server/prompt-cache/place-breakpoints.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import * as make from './requests.ts'
import {
  asking,
  assistant,
  at,
  billsWrites,
  explicit,
  long,
  mark1h,
  mark5m,
  openAiMark,
  text,
  tool,
  user,
} from './requests.ts'

const off = { ...noCachePreference, managed: false }
const explicitOnly = { ...noCachePreference, explicitOnly: true }
const thinking: Block = { type: 'thinking', text: 'hm', signature: 's' }
const system = [text(long('system'))]
const turns = [user('a'), assistant('b'), user('c')]
const bothMarks: CacheMark = { ...mark1h, alsoBreakpoint: true }
const resultOf = (...content: TextBlock[]): Block => ({
  type: 'tool-result',
  toolCallId: 'c',
  content,
  isError: false,
})
const managed = (blockIndex: number): Breakpoint => at(blockIndex, '5m', false)

const table: [string, Partial<CallRequest>, ModelCaching, Breakpoint[]][] = [
  ['rule 4: the end of the system prompt', { system }, explicit, [managed(0)]],
  [
    'rule 4: the system prompt covers the tools',
    { tools: [tool('a'), tool('b')], system: [...system, text('more')] },
    explicit,
    [managed(3)],
  ],
  ['rule 4: tools without a system prompt', { tools: [tool('a')] }, explicit, [managed(0)]],
  [
    'rule 4: and the latest message once there is an assistant turn',
    { system, messages: turns },
    explicit,
    [managed(0), managed(3)],
  ],
  [
    'rule 4: the latest message on what can carry a mark',
    { messages: [user(long('a')), assistant('b', thinking)] },
    explicit,
    [managed(1)],
  ],
  [
    'rule 4: nothing without system prompt and assistant turn',
    { messages: [user(long('a'))] },
    explicit,
    [],
  ],
  ['rule 4: not where the prompt is too short', { system: [text('short')] }, explicit, []],
  [
    'rule 4: a cache_control of one’s own disables them',
    { system, messages: [user('a'), assistant('b'), user(text('c', mark5m))] },
    explicit,
    [at(3)],
  ],
  [
    'rule 4: a cache_control on what is not in the prompt disables them too',
    { system, cache: { ...noCachePreference, marked: true } },
    explicit,
    [],
  ],
  ['rule 4: prompt_cache off disables them', { system, messages: turns, cache: off }, explicit, []],
  [
    'rule 4: fields of other models do not',
    { system: [text(long('a'), openAiMark)], cache: explicitOnly },
    explicit,
    [managed(0)],
  ],
  [
    'rule 5: on the last block that can carry one',
    {
      system,
      messages: [user('a'), assistant('b', thinking)],
      cache: { ...noCachePreference, automatic: mark1h },
    },
    explicit,
    [at(2, '1h')],
  ],
  [
    'rule 5: moves forward as the conversation grows',
    {
      system,
      messages: [...turns, assistant('d'), user('e')],
      cache: { ...noCachePreference, automatic: mark5m },
    },
    explicit,
    [at(5)],
  ],
  [
    'rule 5: the mark of the last block is kept',
    {
      messages: [user(text('a', mark5m))],
      cache: { ...noCachePreference, automatic: mark1h },
    },
    explicit,
    [at(0, '5m')],
  ],
  [
    'rule 5: an automatic one where no block can carry it',
    { messages: [user()], cache: { ...noCachePreference, automatic: mark5m, marked: true } },
    explicit,
    [],
  ],
  [
    'rule 6: every block that is marked',
    {
      tools: [tool('a', mark1h)],
      system: [text('b', mark1h)],
      messages: [user(text('c', mark5m), 'd'), assistant(text('e', mark5m))],
    },
    explicit,
    [at(0, '1h'), at(1, '1h'), at(2), at(4)],
  ],
  [
    'rule 3: the whole prompt, and where others may part from it',
    { system, messages: turns },
    billsWrites,
    [at(0), at(2), at(3)],
  ],
  [
    'rule 3: a last message of several parts',
    { system, messages: [user('a'), assistant('b'), user('c', 'd', 'e')] },
    billsWrites,
    [at(0), at(2), at(4), at(5)],
  ],
  [
    'rule 3: only prefixes that are long enough',
    { messages: [user('a'), assistant('b'), user(long('c'))] },
    billsWrites,
    [at(2)],
  ],
  ['rule 3: too short a prompt', { messages: turns }, billsWrites, []],
  [
    'rule 3: explicit only, no breakpoint',
    { system, messages: turns, cache: explicitOnly },
    billsWrites,
    [],
  ],
  [
    'rule 3: explicit only, with a breakpoint',
    { system: [text('a', openAiMark)], messages: turns, cache: explicitOnly },
    billsWrites,
    [at(0)],
  ],
  [
    'rule 3: a breakpoint is the end of the prefix',
    { system, messages: [user(text('a', openAiMark), 'b')] },
    billsWrites,
    [at(1)],
  ],
  [
    'rule 3: of many breakpoints the last four',
    { messages: [user(...Array.from({ length: 7 }, () => text('a', openAiMark)))] },
    billsWrites,
    [at(3), at(4), at(5), at(6)],
  ],
  [
    'rule 3: cache_control changes nothing there',
    { system: [text(long('a'), mark1h)], messages: turns },
    billsWrites,
    [at(0), at(2), at(3)],
  ],
  [
    'rule 3: a breakpoint beside a cache_control is still one',
    { system, messages: [user(text('a', bothMarks), 'b')] },
    billsWrites,
    [at(1)],
  ],
  [
    'rule 3: so it is inside a tool result',
    { system, messages: [user(resultOf(text('a', openAiMark), text('b', mark1h)), 'c')] },
    billsWrites,
    [at(1)],
  ],
  [
    'rule 6: and so is the cache_control on the other models',
    { system, messages: [user(text('a', bothMarks), 'b')] },
    explicit,
    [at(1, '1h')],
  ],
  [
    'rule 6: inside a tool result too, whichever comes last',
    { system, messages: [user(resultOf(text('a', mark1h), text('b', openAiMark)), 'c')] },
    explicit,
    [at(1, '1h')],
  ],
  [
    'rule 3: the end of all that stands before the messages',
    { tools: [tool('a')], system: [...system, text('more')], messages: turns },
    billsWrites,
    [at(2), at(4), at(5)],
  ],
  [
    'rule 3: a prompt without messages',
    { system: [...system, text('more'), text('still more')], messages: [] },
    billsWrites,
    [at(1), at(2)],
  ],
  [
    'rule 3: prompt_cache off is about managed ones',
    { system, messages: turns, cache: off },
    billsWrites,
    [at(0), at(2), at(3)],
  ],
  [
    'an automatic model that bills no writes',
    { system: [text(long('a'), mark5m)], messages: turns },
    make.automatic,
    [],
  ],
  [
    'a model without caching',
    { system: [text(long('a'), mark5m)], messages: turns },
    make.noCaching,
    [],
  ],
]

for (const [what, parts, caching, expected] of table) {
  test(what, () => {
    const request = asking(parts)
    assert.deepEqual(placeBreakpoints(promptBlocks(request), request.cache, caching), expected)
  })
}

test('rule 4: both sides of the length from which the platform places breakpoints', () => {
  // 16 bytes are counted for the marks around a block.
  for (const [bytes, count] of [
    [1007, 0],
    [1008, 1],
  ] as const) {
    const request = asking({ system: [text('x'.repeat(bytes))] })
    const caching: ModelCaching = { ...explicit, min_tokens: 1024 }
    const placed = placeBreakpoints(promptBlocks(request), request.cache, caching)
    assert.equal(placed.length, count, `${bytes} bytes`)
  }
})

test('rule 13: a breakpoint reads what ends at it or up to 20 blocks before', () => {
  assert.deepEqual(lookBack([]), [])
  assert.deepEqual(lookBack([at(0)]), [1])
  assert.deepEqual(lookBack([at(3)]), [4, 3, 2, 1])
  const from30 = lookBack([at(29)])
  assert.deepEqual([from30.length, from30[0], from30.at(-1)], [21, 30, 10])
})

test('rule 13: a breakpoint on the system prompt keeps it readable in a long transcript', () => {
  const lengths = lookBack([at(0), at(99)])
  assert.deepEqual([lengths.length, lengths[0], lengths.at(-2), lengths.at(-1)], [22, 100, 80, 1])
})

test('rule 13: breakpoints whose ranges meet are looked up once', () => {
  assert.deepEqual(lookBack([at(1), at(2)]), [3, 2, 1])
})
