// How many breakpoints a request may have, in which order and on what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, CacheMark, TextBlock } from '#server/core/block.ts'
import { Refusal } from '#server/core/refusal.ts'
import { type CallRequest, noCachePreference } from '#server/core/request.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import { validateBreakpoints } from '#server/prompt-cache/validate-breakpoints.ts'
import { asking, assistant, mark1h, mark5m, openAiMark, text, tool, user } from './requests.ts'

const top = (mark: CacheMark) => ({ ...noCachePreference, automatic: mark })
const marked = (count: number, mark = mark5m) =>
  Array.from({ length: count }, (_, index) => text(`part ${index}`, mark))

const result = (cache?: CacheMark, ...content: TextBlock[]): Block => ({
  type: 'tool-result',
  toolCallId: 'c',
  content,
  isError: false,
  ...(cache ? { cache } : {}),
})
const results = (count: number) => Array.from({ length: count }, () => result(mark5m))

function refusal(parts: Partial<CallRequest>): { param: string; message: string } | null {
  const request = asking(parts)
  try {
    validateBreakpoints(promptBlocks(request), request.cache)
    return null
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 400 && error.code === 'invalid_value')
    return { param: error.detail.param ?? '', message: error.message }
  }
}

const accepted: Record<string, Partial<CallRequest>> = {
  'none at all': {},
  'rule 7: four': { messages: [user(...marked(4))] },
  'rule 7: three and the automatic one': {
    messages: [user(...marked(3), 'last')],
    cache: top(mark5m),
  },
  'rule 5: three, one of them on the last block, and the automatic one': {
    messages: [user(...marked(3))],
    cache: top(mark5m),
  },
  'rule 7: four tool results': { messages: [user(...results(4), result())] },
  'rule 7: a tool result and three of its parts': {
    messages: [user(result(mark5m, ...marked(3), text('not marked')))],
  },
  'rule 10: 1h before 5m, over tools, system and messages': {
    tools: [tool('a', mark1h)],
    system: [text('b', mark1h)],
    messages: [user(text('c', mark5m)), assistant(text('d', mark5m))],
  },
  'rule 10: 1h, then an automatic 5m': { system: [text('a', mark1h)], cache: top(mark5m) },
  'rule 10: the automatic 1h gives way to the 5m of the last block': {
    messages: [user(text('a', mark5m))],
    cache: top(mark1h),
  },
  'rule 3: any number of prompt_cache_breakpoint': { messages: [user(...marked(9, openAiMark))] },
  'rule 5: an automatic one where no block can carry it': {
    messages: [user()],
    cache: top(mark5m),
  },
  'rule 6: a tool that is not the last': { tools: [tool('a', mark5m), tool('b')] },
}

for (const [what, parts] of Object.entries(accepted)) {
  test(`${what}: accepted`, () => assert.equal(refusal(parts), null))
}

const thinking = { type: 'thinking', text: 'hm', signature: 's', cache: mark5m } as Block

const refused: Record<string, [Partial<CallRequest>, string, RegExp]> = {
  'rule 7: five on messages': [
    { messages: [user(...marked(5))] },
    'messages',
    /at most 4 .* has 5/,
  ],
  'rule 7: the fifth on system': [
    { tools: [tool('a', mark5m)], system: marked(4) },
    'system',
    /at most 4/,
  ],
  'rule 7: the fifth on tools': [
    { tools: ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name, mark5m)) },
    'tools',
    /at most 4/,
  ],
  'rule 7: five and the automatic one': [
    { messages: [user(...marked(5))], cache: top(mark5m) },
    'messages',
    /at most 4/,
  ],
  'rule 7: five tool results': [
    { messages: [user(...results(5))] },
    'messages',
    /at most 4 .* has 5/,
  ],
  'rule 7: a tool result and four of its parts': [
    { messages: [user(result(mark5m, ...marked(4)))] },
    'messages',
    /at most 4 .* has 5/,
  ],
  'rule 7: four tool results and the automatic one': [
    { messages: [user(...results(4), 'last')], cache: top(mark5m) },
    'cache_control',
    /automatic caching needs a free breakpoint/,
  ],
  'rule 7: four and the automatic one': [
    { messages: [user(...marked(4), 'last')], cache: top(mark5m) },
    'cache_control',
    /automatic caching needs a free breakpoint/,
  ],
  'rule 7: four, one of them on the last block, and the automatic one': [
    { messages: [user(...marked(4))], cache: top(mark5m) },
    'cache_control',
    /automatic caching needs a free breakpoint/,
  ],
  'rule 9: a thinking block': [
    { messages: [assistant(thinking, 'answer')] },
    'messages',
    /marker on a block that cannot carry one/,
  ],
  'rule 10: 5m before 1h in messages': [
    { messages: [user(text('a', mark5m), text('b', mark1h))] },
    'messages',
    /"1h" must come before/,
  ],
  'rule 10: 5m on a tool, 1h on system': [
    { tools: [tool('a', mark5m)], system: [text('b', mark1h)] },
    'system',
    /"1h" must come before/,
  ],
  'rule 10: 5m on the first tool, 1h on the second': [
    { tools: [tool('a', mark5m), tool('b', mark1h)] },
    'tools',
    /"1h" must come before/,
  ],
  'rule 10: an automatic 1h behind a 5m': [
    { system: [text('a', mark5m)], cache: top(mark1h) },
    'cache_control',
    /"1h" must come before/,
  ],
}

for (const [what, [parts, param, message]] of Object.entries(refused)) {
  test(`${what}: 400`, () => {
    const found = refusal(parts)
    assert.equal(found?.param, param)
    assert.match(found?.message ?? '', message)
  })
}
