import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  narrowToBrains,
  narrowToHalves,
  widenBrains,
  widenHalves,
} from '#server/engine/embedded/llama/float-formats.ts'
import { ModelFileError } from '#server/engine/embedded/llama/model-file-error.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { writeSafetensors } from '#server/engine/embedded/llama/write-safetensors.ts'
import { randomModel, randomNumbers, tinyConfig, writeRandomModel } from './random-model.ts'

const root = await mkdtemp(join(tmpdir(), 'hone-model-'))
after(() => rm(root, { recursive: true, force: true }))
let count = 0

async function folder(format: 'F32' | 'F16' | 'BF16' = 'F32', model = randomModel()) {
  const path = join(root, String(count++))
  await writeRandomModel(path, model, format)
  return path
}

async function changeConfig(path: string, change: Record<string, unknown>): Promise<void> {
  const file = join(path, 'config.json')
  const fields = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify({ ...fields, ...change }))
}

/** Replaces the header of the weights, leaving the data as it is. */
async function changeHeader(
  path: string,
  change: (
    header: Record<string, { dtype: string; shape: number[]; data_offsets: number[] }>,
  ) => void,
): Promise<void> {
  const file = join(path, 'model.safetensors')
  const bytes = await readFile(file)
  const size = Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.subarray(8, 8 + size).toString()) as never
  change(header)
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  await writeFile(file, Buffer.concat([length, text, bytes.subarray(8 + size)]))
}

test('a folder is read back as it was written', async () => {
  const model = randomModel()
  const read = await readModelFolder(await folder())
  assert.deepEqual(read.config, model.config)
  for (const [name, tensor] of model.tensors) assert.deepEqual(read.tensors.get(name), tensor)
})

for (const [format, step] of [
  ['F16', 2 ** -11],
  ['BF16', 2 ** -8],
] as const) {
  test(`${format} weights are widened`, async () => {
    const model = randomModel()
    const read = await readModelFolder(await folder(format))
    assert.equal(read.format, format)
    for (const [name, { data }] of model.tensors) {
      const wide = read.tensors.get(name)!.data
      data.forEach((number, i) =>
        assert.ok(Math.abs(wide[i]! - number) <= step * Math.abs(number) + 1e-7),
      )
    }
  })
}

test('narrow floats round to the nearest, ties to even, at every edge of the format', () => {
  const every = Uint16Array.from({ length: 65_536 }, (_, i) => i)
  const isNaN16 = (half: number) => (half & 0x7c00) === 0x7c00 && (half & 0x3ff) !== 0
  const wide = new Float32Array(every.length)
  widenHalves(every, wide)
  const halves = narrowToHalves(wide)
  every.forEach((half) => isNaN16(half) || assert.equal(halves[half], half))
  widenBrains(every, wide)
  const brains = narrowToBrains(wide)
  const isNaNBrain = (b: number) => (b & 0x7f80) === 0x7f80 && (b & 0x7f) !== 0
  every.forEach((brain) => isNaNBrain(brain) || assert.equal(brains[brain], brain))
  const edges = Float32Array.of(65_519, 65_520, -1e9, 2 ** -25, 2 ** -25 * 1.01, 1 + 2 ** -11, NaN)
  assert.deepEqual([...narrowToHalves(edges)], [0x7bff, 0x7c00, 0xfc00, 0, 1, 0x3c00, 0x7e00])
})

test('old and new field names mean the same', async () => {
  const path = await folder()
  await changeConfig(path, {
    rope_theta: undefined,
    torch_dtype: undefined,
    dtype: 'float32',
    rope_parameters: { rope_theta: 500_000, rope_type: 'default' },
    num_key_value_heads: 2,
    head_dim: undefined,
    eos_token_id: 7,
  })
  const { config } = await readModelFolder(path)
  assert.equal(config.ropeTheta, 500_000)
  assert.equal(config.headSize, 8)
  assert.deepEqual(config.eosTokenIds, [7])
  await writeFile(join(path, 'generation_config.json'), '{"eos_token_id":[7,9]}')
  assert.deepEqual((await readModelFolder(path)).config.eosTokenIds, [7, 9])
  await changeConfig(path, {
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    },
  })
  assert.equal((await readModelFolder(path)).config.ropeScaling?.factor, 8)
})

test('shards are read through their index', async () => {
  const path = await folder()
  const whole = await readModelFolder(path)
  const names = [...whole.tensors.keys()]
  const map: Record<string, string> = {}
  for (const part of [0, 1]) {
    const file = `model-0000${part + 1}-of-00002.safetensors`
    const mine = names.filter((_, i) => i % 2 === part)
    for (const name of mine) map[name] = file
    const tensors = new Map(mine.map((name) => [name, whole.tensors.get(name)!]))
    await writeSafetensors(join(path, file), tensors)
  }
  await rm(join(path, 'model.safetensors'))
  const index = join(path, 'model.safetensors.index.json')
  await writeFile(index, JSON.stringify({ metadata: {}, weight_map: map }))
  const sharded = await readModelFolder(path)
  assert.deepEqual(sharded.tensors.get(names[3]!), whole.tensors.get(names[3]!))

  await rename(join(path, map[names[0]!]!), join(path, 'elsewhere'))
  await assert.rejects(
    readModelFolder(path),
    /model-00001-of-00002\.safetensors: the file is missing/,
  )
  await writeFile(index, JSON.stringify({ weight_map: { a: '../x/model.safetensors' } }))
  await assert.rejects(readModelFolder(path), /weight_map names no valid shards/)
  await writeFile(index, 'null')
  await assert.rejects(readModelFolder(path), /weight_map names no valid shards/)
})

const name = 'model.layers.0.mlp.up_proj.weight'
const broken: [string, RegExp, (path: string) => Promise<void>][] = [
  ['no config', /config\.json: the file is missing/, (p) => rm(join(p, 'config.json'))],
  ['a config that is no JSON', /not valid JSON/, (p) => writeFile(join(p, 'config.json'), '{')],
  ['a config that is a list', /not a JSON object/, (p) => writeFile(join(p, 'config.json'), '[]')],
  [
    'another architecture',
    /architecture "qwen2" is not known/,
    (p) => changeConfig(p, { model_type: 'qwen2' }),
  ],
  ['another activation', /hidden_act "gelu"/, (p) => changeConfig(p, { hidden_act: 'gelu' })],
  ['biases', /attention_bias is not supported/, (p) => changeConfig(p, { attention_bias: true })],
  [
    'an unknown rope',
    /rope_type "yarn" is not supported/,
    (p) => changeConfig(p, { rope_scaling: { type: 'yarn' } }),
  ],
  ['a head of odd size', /head_dim 7 is odd/, (p) => changeConfig(p, { head_dim: 7 })],
  ['no layers', /num_hidden_layers must be/, (p) => changeConfig(p, { num_hidden_layers: 0 })],
  [
    'layers as text',
    /num_hidden_layers must be/,
    (p) => changeConfig(p, { num_hidden_layers: '2' }),
  ],
  [
    'uneven heads',
    /no multiple of num_key_value_heads/,
    (p) => changeConfig(p, { num_key_value_heads: 3 }),
  ],
  [
    'an enormous model',
    /more than there is memory for/,
    (p) => changeConfig(p, { num_hidden_layers: 1_000_000 }),
  ],
  [
    'more layers than weights',
    /'model\.layers\.2\..*' is missing/,
    (p) => changeConfig(p, { num_hidden_layers: 3 }),
  ],
  [
    'a wrong shape',
    /has the shape \[48, 32\] where config\.json asks for \[40, 32\]/,
    (p) => changeConfig(p, { intermediate_size: 40 }),
  ],
  [
    'no weights',
    /model\.safetensors: the file is missing/,
    (p) => rm(join(p, 'model.safetensors')),
  ],
  ['empty weights', /too short/, (p) => writeFile(join(p, 'model.safetensors'), '')],
  [
    'a header larger than the file',
    /header claims 18446744073709551615 bytes/,
    (p) => writeFile(join(p, 'model.safetensors'), Buffer.alloc(64, 255)),
  ],
  [
    'a header that is no JSON',
    /corrupt: it is not JSON/,
    (p) =>
      writeFile(
        join(p, 'model.safetensors'),
        Buffer.concat([Buffer.of(4, 0, 0, 0, 0, 0, 0, 0), Buffer.from('{"a"')]),
      ),
  ],
  [
    'a header that is a list',
    /corrupt: it is not an object/,
    (p) =>
      writeFile(
        join(p, 'model.safetensors'),
        Buffer.concat([Buffer.of(2, 0, 0, 0, 0, 0, 0, 0), Buffer.from('[]')]),
      ),
  ],
  [
    'data cut off',
    /is truncated/,
    async (p) => {
      const bytes = await readFile(join(p, 'model.safetensors'))
      await writeFile(join(p, 'model.safetensors'), bytes.subarray(0, -100))
    },
  ],
  [
    'an offset beyond the file',
    /is truncated/,
    (p) => changeHeader(p, (h) => void (h[name]!.data_offsets[1]! += 1e12)),
  ],
  [
    'offsets in reverse',
    /is truncated/,
    (p) => changeHeader(p, (h) => void h[name]!.data_offsets.reverse()),
  ],
  [
    'a negative offset',
    /no valid data_offsets/,
    (p) => changeHeader(p, (h) => void (h[name]!.data_offsets[0] = -4)),
  ],
  [
    'a shape that does not fit its bytes',
    /needs 12288 bytes but claims 6144/,
    (p) => changeHeader(p, (h) => void (h[name]!.shape = [96, 32])),
  ],
  [
    'a shape of fractions',
    /no valid shape/,
    (p) => changeHeader(p, (h) => void (h[name]!.shape = [0.5, 1])),
  ],
  [
    'a shape that overflows',
    /needs .* bytes/,
    (p) => changeHeader(p, (h) => void (h[name]!.shape = [2 ** 50, 2 ** 50])),
  ],
  [
    'an unsupported dtype',
    /unsupported dtype 'I8'/,
    (p) => changeHeader(p, (h) => void (h[name]!.dtype = 'I8')),
  ],
  [
    'a dtype from the prototype',
    /unsupported dtype 'toString'/,
    (p) => changeHeader(p, (h) => void (h[name]!.dtype = 'toString')),
  ],
  [
    'two tensors in one place',
    /tensor '.*' overlaps another one/,
    (p) =>
      changeHeader(p, (h) => {
        h[name]!.data_offsets = h['model.layers.0.mlp.gate_proj.weight']!.data_offsets
      }),
  ],
  [
    'an entry that is null',
    /has no dtype/,
    (p) => changeHeader(p, (h) => void (h[name] = null as never)),
  ],
]

for (const [what, message, breakIt] of broken) {
  test(`${what}: refused in one sentence that names the file`, async () => {
    const path = await folder()
    await breakIt(path)
    await assert.rejects(readModelFolder(path), (error: Error) => {
      assert.ok(error instanceof ModelFileError, String(error))
      assert.ok(error.message.startsWith(path))
      assert.match(error.message, message)
      return true
    })
  })
}

test('tensors that the model has no use for are passed over, whatever they are', async () => {
  const path = await folder()
  const whole = await readModelFolder(path)
  await changeHeader(path, (header) => {
    header['model.layers.0.self_attn.rotary_emb.inv_freq'] = {
      dtype: 'I64',
      shape: [1],
      data_offsets: [0, 8],
    }
  })
  const read = await readModelFolder(path)
  assert.deepEqual([...read.tensors.keys()].sort(), [...whole.tensors.keys()].sort())
  assert.deepEqual(read.tensors.get(name), whole.tensors.get(name))
})

test('a tensor longer than one read comes whole, from an odd place of the file', async () => {
  const config = { ...tinyConfig, vocabSize: 150_001, hiddenSize: 64 }
  const model = randomModel(config)
  for (const format of ['F32', 'BF16'] as const) {
    const path = await folder(format, model)
    // One byte more of header moves all data by one byte.
    await changeHeader(path, (header) => {
      const length = Buffer.byteLength(JSON.stringify(header)) % 2
      Object.assign(header, { __metadata__: { a: length === 1 ? 'bb' : 'b' } })
    })
    const { data } = (await readModelFolder(path)).tensors.get('model.embed_tokens.weight')!
    const expected = model.tensors.get('model.embed_tokens.weight')!.data
    const off = expected.findIndex((number, i) => Math.abs(number - data[i]!) > 2 ** -8 * 0.5)
    assert.equal(off, -1)
    if (format === 'F32') assert.deepEqual(data, expected)
  }
})

test('weights that cannot be written are named, with the reason', async () => {
  const { tensors } = randomModel()
  const file = join(root, 'no', 'such', 'model.safetensors')
  await assert.rejects(writeSafetensors(file, tensors), (error: Error) => {
    assert.ok(error instanceof ModelFileError)
    assert.equal(error.message, `${file}: the file cannot be written: its folder is missing.`)
    return true
  })
})

test('a full disk is named', { skip: !existsSync('/dev/full') }, async () => {
  await assert.rejects(
    writeSafetensors('/dev/full', randomModel().tensors),
    /^ModelFileError: \/dev\/full: the file cannot be written: the disk is full\.$/,
  )
})

test('weights with random bytes changed are read or refused, never worse', async () => {
  const path = await folder()
  const file = join(path, 'model.safetensors')
  const sound = await readFile(file)
  const random = randomNumbers(3)
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(sound)
    for (let i = 0; i < 3; i++) bytes[Math.floor(random() * 2000)] = Math.floor(random() * 256)
    await writeFile(file, bytes)
    await readModelFolder(path).catch((error: unknown) =>
      assert.ok(error instanceof ModelFileError),
    )
  }
})
