// A model folder with random weights and a small byte-level vocabulary, for tests of everything but quality.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomSource } from '#server/engine/embedded/generate/random-source.ts'
import { writeAdapter } from '#server/engine/embedded/llama/adapter.ts'
import { llamaConfig } from '#server/engine/embedded/llama/llama-config.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import {
  projections,
  projectionShape,
  tensorShapes,
} from '#server/engine/embedded/llama/tensor-shapes.ts'
import { writeSafetensors } from '#server/engine/embedded/llama/write-safetensors.ts'
import type { TokenizerJson } from '#server/engine/embedded/prompt/token-bytes.ts'

export const toyMarks = [
  '<|pad|>',
  '<|end|>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '<|tool|>',
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tools>',
  '</tools>',
]

/** How byte-level vocabularies spell a byte: as itself where it is printable, else from U+0100 on. */
function spelled(byte: number): string {
  const printable = (b: number) => (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b !== 0xad)
  if (printable(byte)) return String.fromCodePoint(byte)
  let code = 0x100
  for (let other = 0; other < byte; other++) if (!printable(other)) code++
  return String.fromCodePoint(code)
}

const merges: [string, string][] = [
  ['h', 'e'],
  ['l', 'l'],
  ['he', 'll'],
  ['hell', 'o'],
  ['Ġ', 'w'],
  ['{', '"'],
  ['"', ':'],
]

export function toyTokenizerJson(): TokenizerJson {
  const tokens = [
    ...toyMarks,
    ...Array.from({ length: 256 }, (_, byte) => spelled(byte)),
    ...merges.map(([left, right]) => left + right),
  ]
  const pattern = { Regex: ' ?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+' }
  return {
    added_tokens: toyMarks.map((content, id) => ({
      id,
      content,
      special: true,
      normalized: false,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  }
}

export const toyTemplate = `
{%- set system = messages and messages[0].role == 'system' -%}
{%- if system or tools -%}
<|system|>{{ messages[0].content if system }}
{%- if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}<|end|>
{%- endif -%}
{%- for message in (messages[1:] if system else messages) -%}
<|{{ message.role }}|>
{%- if message.reasoning_content and loop.last and enable_thinking %}<think>{{ message.reasoning_content }}</think>{% endif -%}
{{ message.content }}
{%- for call in message.tool_calls or [] -%}
<tool_call>{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor -%}
<|end|>
{%- endfor -%}
{%- if add_generation_prompt %}<|assistant|>{% if enable_thinking %}<think>{% endif %}{% endif -%}
`

export const toyConfig = {
  model_type: 'llama',
  vocab_size: toyMarks.length + 256 + merges.length,
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
  eos_token_id: 1,
}

/** An adapter that changes every projection of every layer by random amounts. */
export async function toyAdapter(modelFolder: string, seed: number): Promise<string> {
  const model = await readModelFolder(modelFolder)
  const random = randomSource(seed)
  const rank = 2
  const numbers = (length: number) => Float32Array.from({ length }, () => (random() - 0.5) / 2)
  const layers = Array.from(
    { length: model.config.layers },
    () =>
      new Map(
        projections.map((name) => {
          const [out, into] = projectionShape(model.config, name)
          return [name, { a: numbers(rank * into), b: numbers(out * rank) }] as const
        }),
      ),
  )
  const folder = join(modelFolder, `adapter-${seed}`)
  await writeAdapter(folder, model, { rank, alpha: 2 * rank, layers }, 'toy')
  return folder
}

export type ToyModel = { folder: string; remove(): Promise<void> }

export async function toyModel(seed = 1, changes: Record<string, unknown> = {}): Promise<ToyModel> {
  const folder = await mkdtemp(join(tmpdir(), 'hone-toy-model-'))
  const config = { ...toyConfig, ...changes }
  const random = randomSource(seed)
  const tensors = new Map(
    [...tensorShapes(llamaConfig('config.json', config, undefined))].map(([name, shape]) => {
      const size = shape.reduce((product, length) => product * length, 1)
      const data = Float32Array.from({ length: size }, () =>
        name.includes('norm') ? 1 : random() - 0.5,
      )
      return [name, { shape, data }]
    }),
  )
  await writeSafetensors(join(folder, 'model.safetensors'), tensors)
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(toyTokenizerJson()))
  await writeFile(join(folder, 'chat_template.jinja'), toyTemplate)
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
