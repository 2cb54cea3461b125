import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readAdapter, writeAdapter } from '#server/engine/embedded/llama/adapter.ts'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import { mergeAdapter } from '#server/engine/embedded/llama/merge-adapter.ts'
import { ModelFileError } from '#server/engine/embedded/llama/model-file-error.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { readSafetensors } from '#server/engine/embedded/llama/read-safetensors.ts'
import { writeSafetensors } from '#server/engine/embedded/llama/write-safetensors.ts'
import {
  randomAdapter,
  randomIds,
  randomModel,
  tinyConfig,
  writeRandomModel,
} from './random-model.ts'

const root = await mkdtemp(join(tmpdir(), 'hone-adapter-'))
after(() => rm(root, { recursive: true, force: true }))
const model = randomModel()
let count = 0

async function written(adapter: Adapter): Promise<string> {
  const path = join(root, String(count++))
  await writeAdapter(path, model, adapter, 'hone/mini')
  return path
}

async function logits(folder: ModelFolder, adapter: Adapter | null): Promise<Float32Array> {
  const forward = await openForward(folder, { threads: 1 })
  const state = forward.newState()
  const [result] = await forward.step([{ state, tokens: randomIds(25, 61) }], adapter)
  await forward.close()
  return result!
}

function worst(a: Float32Array, b: Float32Array): number {
  return Math.max(...a.map((number, i) => Math.abs(number - b[i]!)))
}

test('an adapter is read back as it was written, under the names PEFT uses', async () => {
  const adapter = randomAdapter(tinyConfig, 8, 3)
  const path = await written(adapter)
  const read = await readAdapter(path, model)
  assert.deepEqual([read.rank, read.alpha], [8, 16])
  assert.deepEqual(read.layers, adapter.layers)

  const weights = join(path, 'adapter_model.safetensors')
  const tensors = await readSafetensors(weights)
  assert.equal(tensors.size, 2 * 7 * 2)
  const prefix = 'base_model.model.model.layers.1'
  assert.deepEqual(tensors.get(`${prefix}.self_attn.q_proj.lora_A.weight`)?.shape, [8, 32])
  assert.deepEqual(tensors.get(`${prefix}.mlp.gate_proj.lora_B.weight`)?.shape, [48, 8])
  assert.match(
    (await readFile(weights)).subarray(8, 200).toString(),
    /"__metadata__":\{"format":"pt"\}/,
  )
  const config = JSON.parse(await readFile(join(path, 'adapter_config.json'), 'utf8')) as object
  assert.deepEqual(
    { ...config, target_modules: null },
    {
      ...config,
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      base_model_name_or_path: 'hone/mini',
      r: 8,
      lora_alpha: 16,
      bias: 'none',
      modules_to_save: null,
      target_modules: null,
    },
  )
})

test('an adapter of two projections keeps to them', async () => {
  const adapter = randomAdapter(tinyConfig, 4, 3)
  for (const layer of adapter.layers) {
    for (const name of [...layer.keys()]) if (!/^[qv]_/.test(name)) layer.delete(name)
  }
  const path = await written(adapter)
  assert.deepEqual((await readAdapter(path, model)).layers, adapter.layers)
  assert.match(
    await readFile(join(path, 'adapter_config.json'), 'utf8'),
    /"q_proj",\s+"v_proj"\s+\]/,
  )
})

test('served by adapter or merged, the logits agree', async () => {
  const base = join(root, 'base')
  await writeRandomModel(base, model)
  await writeFile(join(base, 'tokenizer.json'), '{"a":1}')
  await writeFile(join(base, 'chat_template.jinja'), 'hello')
  const folder = await readModelFolder(base)
  const adapter = randomAdapter(tinyConfig, 8, 3)
  const out = join(root, 'merged')
  await mergeAdapter(folder, adapter, out)
  // A second merge replaces the first.
  await mergeAdapter(folder, adapter, out)
  assert.deepEqual((await readdir(out)).sort(), [
    'chat_template.jinja',
    'config.json',
    'model.safetensors',
    'tokenizer.json',
  ])
  assert.equal(await readFile(join(out, 'chat_template.jinja'), 'utf8'), 'hello')
  const merged = await readModelFolder(out)
  const expected = await logits(folder, adapter)
  assert.ok(worst(await logits(merged, null), expected) < 1e-4)
  assert.ok(worst(await logits(folder, null), expected) > 0.1)
  assert.ok(!(await readdir(root)).some((name) => /writing|old/.test(name)))
})

test('a merged half-precision base stays half precision', async () => {
  const base = join(root, 'base-bf16')
  await writeRandomModel(base, model, 'BF16')
  const folder = await readModelFolder(base)
  const adapter = randomAdapter(tinyConfig, 4, 3)
  await mergeAdapter(folder, adapter, join(root, 'merged-bf16'))
  const merged = await readModelFolder(join(root, 'merged-bf16'))
  assert.equal(merged.format, 'BF16')
  const expected = await logits(folder, adapter)
  assert.ok(
    worst(await logits(merged, null), expected) < 0.05 * Math.max(...expected.map(Math.abs)),
  )
})

const refused: [string, RegExp, Record<string, unknown>][] = [
  ['another kind of adapter', /peft_type is 'LOHA'/, { peft_type: 'LOHA' }],
  ['saved modules', /modules_to_save is set/, { modules_to_save: ['lm_head'] }],
  ['DoRA', /use_dora is set/, { use_dora: true }],
  ['rank-stabilized LoRA', /use_rslora is set/, { use_rslora: true }],
  ['ranks by pattern', /rank_pattern is set/, { rank_pattern: { q_proj: 8 } }],
  ['alphas by pattern', /alpha_pattern is set/, { alpha_pattern: { q_proj: 8 } }],
  ['biases', /bias is 'all'/, { bias: 'all' }],
  ['a rank that is none', /r must be a whole number/, { r: 2.5 }],
  ['an enormous rank', /r must be a whole number/, { r: 1e9 }],
  ['no alpha', /lora_alpha must be a number/, { lora_alpha: null }],
  [
    'a rank that is not the tensors’',
    /has the shape \[4, \d+\] where rank and model ask/,
    { r: 8 },
  ],
]

for (const [what, message, change] of refused) {
  test(`${what}: refused in words`, async () => {
    const path = await written(randomAdapter(tinyConfig, 4, 3))
    const file = join(path, 'adapter_config.json')
    const fields = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...fields, ...change }))
    await assert.rejects(readAdapter(path, model), (error: Error) => {
      assert.ok(error instanceof ModelFileError && error.message.startsWith(path))
      assert.match(error.message, message)
      return true
    })
  })
}

const prefix = 'base_model.model.model.layers'
const odd: [
  string,
  RegExp,
  (tensors: Map<string, { shape: number[]; data: Float32Array }>) => void,
][] = [
  [
    'a target in the embeddings',
    /may not change/,
    (t) =>
      t.set('base_model.model.model.embed_tokens.lora_embedding_A', {
        shape: [1],
        data: new Float32Array(1),
      }),
  ],
  [
    'a target in the head',
    /may not change/,
    (t) =>
      t.set('base_model.model.lm_head.lora_A.weight', { shape: [1], data: new Float32Array(1) }),
  ],
  [
    'a projection in the wrong block',
    /may not change/,
    (t) => t.set(`${prefix}.0.mlp.q_proj.lora_A.weight`, { shape: [1], data: new Float32Array(1) }),
  ],
  [
    'a layer too many',
    /is for a layer that the model, with 2, lacks/,
    (t) =>
      t.set(`${prefix}.2.self_attn.q_proj.lora_A.weight`, {
        shape: [1],
        data: new Float32Array(1),
      }),
  ],
  [
    'an A alone',
    /has no lora_B beside it/,
    (t) => void t.delete(`${prefix}.0.self_attn.q_proj.lora_B.weight`),
  ],
  [
    'a B alone',
    /has no lora_A beside it/,
    (t) => void t.delete(`${prefix}.0.self_attn.q_proj.lora_A.weight`),
  ],
  [
    'another model’s shapes',
    /has the shape \[4, 16\]/,
    (t) =>
      t.set(`${prefix}.0.self_attn.q_proj.lora_A.weight`, {
        shape: [4, 16],
        data: new Float32Array(64),
      }),
  ],
  ['nothing at all', /holds no tensors/, (t) => t.clear()],
]

for (const [what, message, change] of odd) {
  test(`an adapter with ${what}: refused in words`, async () => {
    const path = await written(randomAdapter(tinyConfig, 4, 3))
    const file = join(path, 'adapter_model.safetensors')
    const tensors = await readSafetensors(file)
    change(tensors)
    await writeSafetensors(file, tensors)
    await assert.rejects(readAdapter(path, model), message)
  })
}

test('a folder without its files is named', async () => {
  await assert.rejects(
    readAdapter(join(root, 'none'), model),
    /adapter_config\.json: the file is missing/,
  )
  const path = await written(randomAdapter(tinyConfig, 4, 3))
  await rm(join(path, 'adapter_model.safetensors'))
  await assert.rejects(readAdapter(path, model), /adapter_model\.safetensors: the file is missing/)
})
