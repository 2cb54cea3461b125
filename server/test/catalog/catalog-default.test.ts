// The catalog that Hone writes for itself must be one that it accepts, and nobody else's to change.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { modelRow as rowSchema } from '#contract/model.ts'
import { Catalog } from '#server/catalog/catalog.ts'
import { readCatalogText } from '#server/catalog/catalog-file.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { modelRow } from '#server/catalog/model-row.ts'

test('the default catalog is valid and its rows are what the contract says', () => {
  const reading = readCatalogText(JSON.stringify(defaultCatalog))
  assert.ok(reading.ok)
  assert.deepEqual(
    reading.file.models.map(({ id }) => id),
    ['hone/hone-mini', 'hone/judge-basic'],
  )
  assert.deepEqual(
    reading.file.models.filter(({ judge }) => judge).map(({ id }) => id),
    ['hone/judge-basic'],
  )
  const [mini] = reading.file.models.map((model) => rowSchema.parse(modelRow(model)))
  assert.deepEqual(mini?.pricing, {
    input: { min: 0.1, max: 0.1 },
    output: { min: 0.4, max: 0.4 },
    cache_read: { min: 0.01, max: 0.01 },
    cache_write_5m: { min: 0.125, max: 0.125 },
    cache_write_1h: { min: 0.2, max: 0.2 },
  })
})

test('only its owner may write it, whatever others are left to do with new files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hone-catalog-'))
  const before = process.umask(0)
  t.after(() => {
    process.umask(before)
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'catalog.json')
  const catalog = await Catalog.open(file, { error: assert.fail, info() {} })
  catalog.close()
  assert.equal(statSync(file).mode & 0o777, 0o644)
})
