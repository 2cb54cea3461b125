// The first route of a model, as the process knows it.
import { routeKey } from '#server/inference/route-key.ts'
import type { TestHone } from './test-hone.ts'

export function keyOfFirst(hone: TestHone, slug: string): string {
  const model = hone.app.catalog.find(slug)
  const route = model?.routes[0]
  if (!model || !route) throw new Error(`the catalog has no route to ${slug}`)
  return routeKey(model, route)
}
