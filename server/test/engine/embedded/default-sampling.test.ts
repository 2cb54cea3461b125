// What a model folder says of how it wants to be sampled.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { defaultSampling } from '#server/engine/embedded/serve/default-sampling.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-sampling-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const cases: [written: string, sampling: object][] = [
  ['{"do_sample": false, "temperature": 0.7}', { temperature: 0 }],
  [
    '{"do_sample": true, "temperature": 0.7, "top_p": 0.9, "top_k": 40}',
    { temperature: 0.7, topP: 0.9, topK: 40 },
  ],
  ['{"temperature": -1, "top_p": 2, "top_k": -1}', {}],
  ['{"temperature": null, "top_p": "0.9"}', {}],
  ['null', {}],
  ['[]', {}],
  ['not JSON', {}],
]

for (const [written, sampling] of cases) {
  test(`generation_config.json as ${written}`, async () => {
    await writeFile(join(folder, 'generation_config.json'), written)
    assert.deepEqual(await defaultSampling(folder), sampling)
  })
}

test('a folder without the file says nothing', async () => {
  assert.deepEqual(await defaultSampling(join(folder, 'missing')), {})
})
