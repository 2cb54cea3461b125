// Rows of the catalog with prices in USD for a million tokens.
import { type CatalogModel, readCatalogText } from '#server/catalog/catalog-file.ts'

export function catalogRow(
  id: string,
  input: number,
  output: number,
  changes: object = {},
): CatalogModel {
  const route = { engine: 'openai-compatible', base_url: 'http://x/v1', pricing: { input, output } }
  const row = { id, context_window: 131_072, max_output_tokens: 4096, routes: [route], ...changes }
  const reading = readCatalogText(JSON.stringify({ models: [row] }))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.file.models[0]!
}
