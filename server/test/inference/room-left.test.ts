// What is left of a window for an answer, by the numbers in the refusals of real servers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomLeft } from '#server/inference/room-left.ts'

const refusals: [server: string, text: string, maxTokens: number, room: number | null][] = [
  [
    'vLLM',
    "This model's maximum context length is 8192 tokens. However, you requested 8199 tokens (16 in the messages, 8183 in the completion).",
    8183,
    8176,
  ],
  [
    'vLLM, newer',
    "'max_tokens' is too large: 8183. This model's maximum context length is 8192 tokens and your request has 16 input tokens (8183 > 8192 - 16).",
    8183,
    8176,
  ],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 1000 tokens from the input messages and 4000 tokens for the completion.",
    4000,
    3096,
  ],
  [
    'a server that names only the sum',
    'maximum context length 4096, you requested 5000: 1000 and more',
    4000,
    3096,
  ],
  [
    'Anthropic',
    'input length and `max_tokens` exceed context limit: 197000 + 8192 > 200000, decrease one',
    8192,
    3000,
  ],
  [
    'TGI',
    '`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 100 `inputs` tokens and 2000 `max_new_tokens`',
    2000,
    1948,
  ],
  [
    'a window of twice the answer',
    "This model's maximum context length is 8192 tokens. However, you requested 9096 tokens (5000 in the messages, 4096 in the completion).",
    4096,
    3192,
  ],
  [
    'a window of twice the answer, without the sum',
    "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).",
    4096,
    3192,
  ],
  ['a prompt of twice the answer', 'exceed context limit: 8192 + 4096 > 10000', 4096, 1808],
  [
    'a prompt as long as the answer, whose sum could be the window: what fits either way',
    'maximum context length 8192, you requested 10000: 5000 and 5000',
    5000,
    1808,
  ],
  [
    'a window as long as the answer',
    'maximum context length 4096, you requested 5096: 1000 and 4096',
    4096,
    3096,
  ],
  ['one that names the window and the answer alone', '5000 is more than 8192 leaves', 5000, null],
  ['a window with room for one token', 'context length 4096: 4095 + 100', 100, 1],
  ['a prompt that is too long alone', 'prompt is too long: 205000 tokens > 200000', 8192, null],
  ['a full window', 'context length 4096: 4096 in the messages, 100 in the completion', 100, null],
  [
    'one that has room enough',
    'context length 4096: 100 in the messages, 200 asked for',
    200,
    null,
  ],
  ['one with other numbers', 'context length 4096, 100 + 4000, see page 7', 4000, null],
  ['one without numbers', 'context length exceeded', 100, null],
]

for (const [server, text, maxTokens, room] of refusals) {
  test(`${server}: ${room ?? 'nothing'}`, () => {
    const numbers = Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))
    assert.equal(roomLeft(numbers, maxTokens), room)
  })
}
