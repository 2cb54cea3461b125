// Spec 1, reasoning rules 1 to 12: as a pure table, and over HTTP in both dialects.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adjustReasoning, type Ladder } from '#server/catalog/adjust-reasoning.ts'
import { type Effort, effortLevels, type Reasoning } from '#server/core/request.ts'
import { parseUsd } from '#server/lib/money.ts'
import { ThinkingSeal } from '#server/dialect/messages/thinking-seal.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import { type ChaosHone, chaosHone, dialects, dig, type Json } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone((upstream) => {
    const routes = [chaosRoute(upstream, 'openai', 'ok')]
    const thinks = (id: string, efforts: Effort[], more: object = {}) => ({
      id,
      routes,
      reasoning: { efforts, default: efforts.at(-1), ...more },
    })
    return [
      thinks('only-high', ['high']),
      thinks('upper', ['medium', 'high']),
      thinks('lower', ['low', 'medium']),
      thinks('full', ['low', 'medium', 'high', 'xhigh', 'max'], { default: 'high' }),
      thinks('always', ['low', 'high'], { required: true }),
      thinks('always-minimal', ['high', 'minimal'], { default: 'high', required: true }),
      thinks('on-request', ['low', 'high'], { default: null }),
      { id: 'plain', routes },
      {
        ...thinks('thinker', ['low', 'high']),
        routes: [chaosRoute(upstream, 'anthropic', 'reasoning')],
      },
      {
        ...thinks('remembers', ['low', 'high']),
        routes: [chaosRoute(upstream, 'openai', 'reasoning', { passes_thinking: true })],
      },
      {
        ...thinks('disobeys', ['low', 'high']),
        routes: [chaosRoute(upstream, 'openai', 'scripted')],
      },
      { ...thinks('eaten', ['high']), routes: [chaosRoute(upstream, 'openai', 'budget_eaten')] },
    ]
  })
})
after(() => rig.stop())

const ladder = (efforts: Effort[], more: Partial<Ladder> = {}): Ladder => ({
  efforts,
  default: efforts.at(-1) ?? null,
  required: false,
  ...more,
})
const level = (effort: Effort): Reasoning => ({ kind: 'effort', effort })

const table: [rule: string, Reasoning, Ladder | undefined, Effort | null, adjusted: boolean][] = [
  [
    '1: medium on a [high] ladder is served at high',
    level('medium'),
    ladder(['high']),
    'high',
    true,
  ],
  ['1: low on [medium, high] is medium', level('low'), ladder(['medium', 'high']), 'medium', true],
  ['1: max on [low, medium] is medium', level('max'), ladder(['low', 'medium']), 'medium', true],
  ['1: in between, the higher one', level('medium'), ladder(['low', 'high']), 'high', true],
  ['1: a published level is served as it is', level('low'), ladder(['low', 'high']), 'low', false],
  [
    '1: the order of the ladder does not matter',
    level('low'),
    ladder(['max', 'medium']),
    'medium',
    true,
  ],
  ['1: minimal is below low', level('minimal'), ladder(['low', 'high']), 'low', true],
  ['3: off', { kind: 'off' }, ladder(['low', 'high']), null, false],
  [
    '3: off where it always reasons',
    { kind: 'off' },
    ladder(['high', 'low'], { required: true }),
    'low',
    true,
  ],
  [
    '3: off where it always reasons and publishes minimal',
    { kind: 'off' },
    ladder(['low', 'minimal'], { required: true }),
    'minimal',
    true,
  ],
  ['4: a level on a model that does not reason', level('high'), undefined, null, true],
  ['4: thinking on a model that does not reason', { kind: 'on' }, undefined, null, true],
  ['4: off on a model that does not reason', { kind: 'off' }, undefined, null, true],
  ['4: nothing asked of a model that does not reason', { kind: 'default' }, undefined, null, false],
  [
    '12: the default of the row',
    { kind: 'default' },
    ladder(['low', 'high'], { default: 'high' }),
    'high',
    false,
  ],
  ['12: no default', { kind: 'default' }, ladder(['low'], { default: null }), null, false],
  [
    '11: thinking on is the default level',
    { kind: 'on' },
    ladder(['low', 'max'], { default: 'low' }),
    'low',
    false,
  ],
  [
    '11: thinking on without a default',
    { kind: 'on' },
    ladder(['low', 'max'], { default: null }),
    'max',
    false,
  ],
  ...(
    [
      [0, 'low'],
      [1024, 'low'],
      [4000, 'low'],
      [5000, 'medium'],
      [10_000, 'medium'],
      [16_000, 'high'],
      [100_000, 'high'],
    ] as const
  ).map(([budgetTokens, effort]): (typeof table)[number] => [
    `11: thinking on with a budget of ${budgetTokens} tokens`,
    { kind: 'on', budgetTokens },
    ladder(['low', 'medium', 'high', 'max'], { default: null }),
    effort,
    false,
  ]),
  [
    '11: a budget asks for no more than the default level',
    { kind: 'on', budgetTokens: 32_000 },
    ladder(['low', 'medium', 'high'], { default: 'medium' }),
    'medium',
    false,
  ],
  [
    '11: a level that was named counts more than a budget',
    { kind: 'effort', effort: 'high', budgetTokens: 1024 },
    ladder(['low', 'medium', 'high']),
    'high',
    false,
  ],
]

for (const [rule, asked, of, effort, adjusted] of table) {
  test(`rule ${rule}`, () => {
    const settled = adjustReasoning(asked, of)
    assert.deepEqual([settled.effort, settled.adjusted], [effort, adjusted])
  })
}

test('rule 1: for every level and every ladder, the nearest above, else the highest', () => {
  for (let bits = 1; bits < 2 ** effortLevels.length; bits++) {
    const published = effortLevels.filter((_, i) => bits & (1 << i))
    for (const [rank, asked] of effortLevels.entries()) {
      const above = published.find((name) => effortLevels.indexOf(name) >= rank)
      const settled = adjustReasoning(level(asked), ladder([...published].reverse()))
      assert.equal(settled.effort, above ?? published.at(-1))
      assert.equal(settled.adjusted, settled.effort !== asked)
    }
  }
})

/** What each dialect says for the same wish. */
const wishes: Record<string, [chat: Json, messages: Json]> = {
  low: [{ reasoning_effort: 'low' }, { output_config: { effort: 'low' } }],
  medium: [{ reasoning_effort: 'medium' }, { output_config: { effort: 'medium' } }],
  max: [{ reasoning_effort: 'max' }, { output_config: { effort: 'max' } }],
  minimal: [{ reasoning_effort: 'minimal' }, { output_config: { effort: 'minimal' } }],
  off: [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
  nothing: [{}, {}],
}

const served: [model: string, wish: string, effort: string, adjusted: boolean][] = [
  ['only-high', 'medium', 'high', true],
  ['upper', 'low', 'medium', true],
  ['lower', 'max', 'medium', true],
  ['full', 'low', 'low', false],
  ['full', 'minimal', 'low', true],
  ['full', 'nothing', 'high', false],
  ['full', 'off', 'none', false],
  ['always', 'off', 'low', true],
  ['always-minimal', 'off', 'minimal', true],
  ['always', 'nothing', 'high', false],
  ['on-request', 'nothing', 'none', false],
  ['plain', 'low', 'none', true],
  ['plain', 'off', 'none', true],
  ['plain', 'nothing', 'none', false],
]

for (const [index, dialect] of dialects.entries()) {
  for (const [model, wish, effort, adjusted] of served) {
    test(`${dialect}: ${wish} on ${model} is served at ${effort}${adjusted ? ', and said' : ''}`, async () => {
      for (const stream of [false, true]) {
        const answer = await rig.post(dialect, { model, stream, ...wishes[wish]?.[index] })
        assert.equal(answer.status, 200)
        assert.equal(
          answer.headers.get('x-service-params-adjusted'),
          adjusted ? 'reasoning_effort' : null,
        )
        assert.equal(rig.upstream.calls.at(-1)?.body.reasoning_effort ?? 'none', effort)
      }
    })
  }

  test(`${dialect}, rule 8: several adjustments stand in one header`, async () => {
    const fields = { model: 'only-high', max_tokens: 1_000_000, ...wishes.low?.[index] }
    const answer = await rig.post(dialect, fields)
    const names = (answer.headers.get('x-service-params-adjusted') ?? '').split(/, */)
    assert.deepEqual(names.sort(), ['max_tokens', 'reasoning_effort'])
  })

  test(`${dialect}, rule 8: max_tokens that fits is never rewritten`, async () => {
    for (const size of [1, 100, 8192]) {
      const { body } = await rig.reached(dialect, { model: 'full', max_tokens: size })
      assert.equal(body.max_tokens, size)
    }
  })

  test(`${dialect}, rule 7: thinking that eats the budget is 200, length and no text`, async () => {
    const answer = await rig.post(dialect, { model: 'eaten', max_tokens: 3 })
    assert.equal(answer.status, 200)
    if (dialect === 'chat') {
      assert.equal(dig(answer.json, 'choices.0.finish_reason'), 'length')
      assert.equal(dig(answer.json, 'choices.0.message.content'), '')
      assert.equal(dig(answer.json, 'choices.0.message.reasoning_content'), 'Hmm hmm')
      assert.equal(dig(answer.json, 'usage.completion_tokens'), 3)
    } else {
      assert.equal(dig(answer.json, 'stop_reason'), 'max_tokens')
      assert.deepEqual(
        (dig(answer.json, 'content') as Json[]).map(({ type }) => type),
        ['thinking'],
      )
      assert.equal(dig(answer.json, 'usage.output_tokens'), 3)
    }
  })
}

test('rule 3: none has two more names, and null is no word at all', async () => {
  const settled: [model: string, off: string | undefined, adjusted: string | null][] = [
    ['full', 'none', null],
    ['always', 'low', 'reasoning_effort'],
    ['always-minimal', 'minimal', 'reasoning_effort'],
    ['plain', undefined, 'reasoning_effort'],
  ]
  for (const [model, off, adjusted] of settled) {
    for (const stream of [false, true]) {
      for (const reasoning_effort of ['none', 'off', '']) {
        const answer = await rig.post('chat', { model, stream, reasoning_effort })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(rig.upstream.calls.at(-1)?.body.reasoning_effort, off)
        assert.equal(answer.headers.get('x-service-params-adjusted'), adjusted)
      }
      const answer = await rig.post('chat', { model, stream, reasoning_effort: null })
      assert.equal(rig.upstream.calls.at(-1)?.body.reasoning_effort, off && 'high')
      assert.equal(answer.headers.get('x-service-params-adjusted'), null)
    }
  }
})

test('rules 3, 4 and 8: both are said where a model always thinks or never does', async () => {
  for (const model of ['always', 'plain']) {
    for (const stream of [false, true]) {
      const fields = { model, stream, reasoning_effort: 'none', max_tokens: 10_000_000 }
      const answer = await rig.post('chat', fields)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('x-service-params-adjusted'), 'reasoning_effort, max_tokens')
    }
  }
})

test('rule 5: a value outside the vocabulary is 400, on every model', async () => {
  for (const model of ['full', 'plain']) {
    assert.equal((await rig.post('chat', { model, reasoning_effort: 'more' })).status, 400)
    const fields = { model, output_config: { effort: 'more' } }
    assert.equal((await rig.post('messages', fields)).status, 400)
  }
})

test('rule 6: thinking tokens are counted and shown as a share of the output', async () => {
  rig.upstream.script = {
    thinking: ['Hm'],
    text: ['A'],
    usage: {
      prompt_tokens: 7,
      completion_tokens: 30,
      completion_tokens_details: { reasoning_tokens: 20 },
    },
  }
  const chat = await rig.post('chat', { model: 'scripted' })
  assert.equal(dig(chat.json, 'usage.completion_tokens'), 30)
  assert.equal(dig(chat.json, 'usage.completion_tokens_details.reasoning_tokens'), 20)
  const messages = await rig.post('messages', { model: 'scripted' })
  assert.equal(dig(messages.json, 'usage.output_tokens'), 30)
  assert.equal(dig(messages.json, 'usage.output_tokens_details.thinking_tokens'), 20)
})

test('rule 9: where thinking is the default, off is said to the model and not left out', async () => {
  const off = await rig.reached('chat', { model: 'full', reasoning_effort: 'none' })
  assert.equal(off.body.reasoning_effort, 'none')
  const disabled = await rig.reached('messages', {
    model: 'thinker',
    thinking: { type: 'disabled' },
  })
  assert.deepEqual(disabled.body.thinking, { type: 'disabled' })
  const plain = await rig.reached('chat', { model: 'plain', reasoning_effort: 'none' })
  assert.equal('reasoning_effort' in plain.body, false)
})

const unbidden: Record<string, { details: object; words: string[]; billed: number }> = {
  'that are counted': {
    details: { completion_tokens_details: { reasoning_tokens: 20 } },
    words: ['A'],
    billed: 10,
  },
  // Three of four characters are thoughts.
  'that are not counted': { details: {}, words: ['Words'], billed: 7 },
  'and nothing else': { details: {}, words: [], billed: 0 },
}
for (const [what, { details, words, billed }] of Object.entries(unbidden)) {
  for (const stream of [false, true]) {
    test(`rule 9: thoughts of a model that was told not to think ${what} are neither shown nor billed, ${stream ? 'streamed' : 'whole'}`, async () => {
      const usage = { prompt_tokens: 7, completion_tokens: 30, ...details }
      rig.upstream.script = { thinking: ['Let me ', 'think it'], text: words, usage }
      const chat = await rig.post('chat', { model: 'disobeys', stream, reasoning_effort: 'none' })
      assert.doesNotMatch(chat.text, /think it|reasoning_content|reasoning_tokens/)
      assert.match(chat.text, new RegExp(`"completion_tokens":${billed}\\b`))
      const off = { thinking: { type: 'disabled' } }
      const messages = await rig.post('messages', { model: 'disobeys', stream, ...off })
      assert.doesNotMatch(messages.text, /think it|"thinking"/)
      assert.match(messages.text, new RegExp(`"output_tokens":${billed}\\b`))
    })
  }
}

test('rules 10 and 11: the trace is in reasoning_content, and omitted in messages unless asked for', async () => {
  const chat = await rig.post('chat', { model: 'thinker' })
  assert.equal(dig(chat.json, 'choices.0.message.reasoning_content'), 'Let me think.')
  const omitted = await rig.post('messages', { model: 'thinker' })
  assert.equal(dig(omitted.json, 'content.0.thinking'), '')
  const shown = await rig.post('messages', {
    model: 'thinker',
    thinking: { type: 'adaptive', display: 'summarized' },
  })
  assert.equal(dig(shown.json, 'content.0.thinking'), 'Let me think.')
})

const goOn = (content: unknown): Json => ({
  model: 'thinker',
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: 'And?' },
  ],
})

test('a thought passed back is verified and goes on whole, though it was shown empty', async () => {
  const answer = await rig.post('messages', { model: 'thinker' })
  const content = dig(answer.json, 'content') as Json[]
  assert.equal(content[0]?.thinking, '')
  const { body } = await rig.reached('messages', goOn(content))
  assert.match(JSON.stringify(dig(body, 'messages.1')), /Let me think\./)
  const forged = [{ ...content[0], thinking: 'Forged thought' }, content[1]]
  const restored = await rig.reached('messages', goOn(forged))
  assert.match(JSON.stringify(dig(restored.body, 'messages.1')), /Let me think\./)
  assert.doesNotMatch(JSON.stringify(restored.body), /Forged/)
})

test('thoughts go back to a chat upstream only where its route says so', async () => {
  const passed = { role: 'assistant', content: 'Hello', reasoning_content: 'Let me think.' }
  const turns = (of: Json): Json => ({
    messages: [{ role: 'user', content: 'Hi' }, of, { role: 'user', content: 'And?' }],
  })
  const told = await rig.reached('chat', { model: 'remembers', ...turns(passed) })
  assert.deepEqual(dig(told.body, 'messages.1'), passed)
  const { reasoning_content: reasoning, ...rest } = passed
  const renamed = await rig.reached('chat', {
    model: 'remembers',
    ...turns({ ...rest, reasoning }),
  })
  assert.deepEqual(dig(renamed.body, 'messages.1'), passed)
  const untold = await rig.reached('chat', { model: 'full', ...turns(passed) })
  assert.deepEqual(dig(untold.body, 'messages.1'), rest)

  const answer = await rig.post('messages', { model: 'remembers' })
  const [thought, words] = dig(answer.json, 'content') as [Json, Json]
  const { thinking: omitted, ...textless } = thought
  assert.equal(omitted, '')
  // Some clients put turns together from what was streamed, and nothing was of a text that is omitted.
  for (const back of [thought, textless, { ...textless, thinking: null }]) {
    const sealed = await rig.reached('messages', {
      model: 'remembers',
      ...turns({ role: 'assistant', content: [back, words] }),
    })
    assert.equal(dig(sealed.body, 'messages.1.reasoning_content'), 'Let me think.')
  }
})

test('a thought of another workspace, or a changed signature, is dropped', async () => {
  const answer = await rig.post('messages', { model: 'thinker' })
  const content = dig(answer.json, 'content') as [Json, Json]
  const workspaceId = await createWorkspace(rig.hone, 'Other')
  const headers = await rig.hone.login(rig.hone.owner.email, rig.hone.owner.password)
  const { secret } = await createKey(rig.hone, { ...headers, 'x-workspace-id': workspaceId })
  const other = await rig.reached('messages', goOn(content), { bearer: secret })
  assert.deepEqual(dig(other.body, 'messages.1.content'), [{ type: 'text', text: 'Hello world' }])
  const signature = String(content[0].signature)
  const flipped = (signature[40] === 'A' ? 'B' : 'A') + signature.slice(41)
  const changed = [{ ...content[0], signature: signature.slice(0, 40) + flipped }, content[1]]
  const dropped = await rig.reached('messages', goOn(changed))
  assert.deepEqual(dig(dropped.body, 'messages.1.content'), [{ type: 'text', text: 'Hello world' }])
})

test('a signature opens only with its key and its workspace, whatever the thought', () => {
  const [keyA, keyB] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const texts = ['', 'Hm', 'ünï 👋', '3:abc', 'x'.repeat(100_000)]
  const thoughts = texts.flatMap((text) => texts.map((proof) => ({ text, proof })))
  for (const thought of thoughts) {
    const sealed = new ThinkingSeal(keyA, 'w1').seal(thought)
    assert.deepEqual(new ThinkingSeal(keyA, 'w1').open(sealed), thought)
    assert.equal(new ThinkingSeal(keyA, 'w2').open(sealed), null)
    assert.equal(new ThinkingSeal(keyB, 'w1').open(sealed), null)
    assert.notEqual(new ThinkingSeal(keyA, 'w1').seal(thought), sealed)
  }
  for (const junk of ['', 'x', '!!!', 'A'.repeat(37), 'A'.repeat(400)]) {
    assert.equal(new ThinkingSeal(keyA, 'w1').open(junk), null)
  }
})

function picodollarsOf({ balance_usd }: { balance_usd: string }): bigint {
  return parseUsd(balance_usd, 12) ?? 0n
}

for (const dialect of dialects) {
  test(`9: ${dialect}: thoughts of a server that was told not to think are not billed`, async () => {
    rig.upstream.script = {
      thinking: ['Hmm'],
      text: ['Hello'],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 8,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    }
    const off =
      dialect === 'chat' ? { reasoning_effort: 'none' } : { thinking: { type: 'disabled' } }
    const field = dialect === 'chat' ? 'usage.completion_tokens' : 'usage.output_tokens'
    for (const [wish, tokens, picodollars] of [
      [off, 3, 13_000_000n],
      [{}, 8, 23_000_000n],
    ] as const) {
      const before = await rig.wallet()
      const answer = await rig.post(dialect, { model: 'disobeys', ...wish })
      assert.equal(dig(answer.json, field), tokens, answer.text)
      const after = await rig.wallet()
      assert.equal(picodollarsOf(before) - picodollarsOf(after), picodollars)
    }
  })
}
