// A checkpoint that is not whole, or not what was written, is none.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCheckpoint, saveCheckpoint } from '#server/compute/embedded/checkpoint.ts'
import { loraParameters } from '#server/compute/embedded/lora-parameters.ts'
import type { RunState } from '#server/compute/embedded/run-state.ts'
import { randomModel } from '../../engine/llama/random-model.ts'
import { temporaryFolder } from './training-fixture.ts'

const state: RunState = {
  step: 7,
  tokens: 100,
  checkLossBefore: 3,
  bestStep: 5,
  bestLoss: 1,
  checksWithoutGain: 0,
  trainLoss: 2,
}

async function saved() {
  const folder = await temporaryFolder()
  const { all: parameters } = loraParameters(randomModel().config, 2, 1)
  for (const { data } of parameters) data.fill(0.5)
  const best = parameters.map(({ data }) => data.slice())
  await saveCheckpoint(folder, parameters, best, state)
  return { folder, parameters, file: (name: string) => join(folder, '7', name) }
}

test('what was saved is loaded', async () => {
  const { folder, parameters } = await saved()
  for (const { data } of parameters) data.fill(0)
  const loaded = await loadCheckpoint(folder, parameters)
  assert.deepEqual(loaded?.state, state)
  assert.ok(parameters.every(({ data }) => data.every((value) => value === 0.5)))
})

const damages: [what: string, name: string, damage: (bytes: Buffer) => Buffer][] = [
  [
    'one bit of the numbers',
    'tensors.safetensors',
    (bytes) => {
      bytes[bytes.length - 3]! ^= 1
      return bytes
    },
  ],
  ['a page of something else', 'tensors.safetensors', (bytes) => bytes.fill(1, bytes.length - 64)],
  ['an end that is missing', 'tensors.safetensors', (bytes) => bytes.subarray(0, -1)],
  [
    'a step that is no number',
    'state.json',
    (bytes) => Buffer.from(bytes.toString().replace('"step":7', '"step":"7"')),
  ],
  ['half of the state', 'state.json', (bytes) => bytes.subarray(0, 20)],
  [
    'another version',
    'state.json',
    (bytes) => Buffer.from(bytes.toString().replace('"version":3', '"version":2')),
  ],
]

for (const [what, name, damage] of damages) {
  test(`${what} makes it none, and leaves the parameters as they were`, async () => {
    const { folder, parameters, file } = await saved()
    await writeFile(file(name), damage(await readFile(file(name))))
    for (const { data } of parameters) data.fill(0.25)
    assert.equal(await loadCheckpoint(folder, parameters), null)
    assert.ok(parameters.every(({ data }) => data.every((value) => value === 0.25)))
  })
}
