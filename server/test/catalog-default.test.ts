// The catalog that Hone writes for itself must be one that it accepts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelRow as rowSchema } from '#contract/model.ts'
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
  for (const model of reading.file.models) rowSchema.parse(modelRow(model))
})
