// The model a slug names, or the error a client understands.
import type { App } from '../app.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { Refusal } from '../core/refusal.ts'

export function findModel(app: App, slug: string): CatalogModel {
  const model = app.catalog.find(slug)
  if (model) return model
  throw new Refusal(
    'model_not_found',
    `There is no model ${JSON.stringify(slug.slice(0, 200))}; GET /v1/models lists them.`,
    { param: 'model' },
  )
}
