// The order in which the routes of a model are tried for one conversation: by weight, but always the same for the same
// conversation, so that its calls meet the same cache (rendezvous hashing).
import { createHash } from 'node:crypto'

export function orderRoutes<Route extends { weight: number }>(
  routes: readonly Route[],
  keyOf: (route: Route) => string,
  conversation: string,
): Route[] {
  return routes
    .map((route) => ({ route, score: score(conversation, keyOf(route), route.weight) }))
    .sort((a, b) => b.score - a.score)
    .map(({ route }) => route)
}

/** Over many conversations the best score falls to each route in proportion to its weight. */
function score(conversation: string, key: string, weight: number): number {
  const digest = createHash('sha256').update(`${conversation}\n${key}`).digest()
  const uniform = (digest.readUIntBE(0, 6) + 1) / (2 ** 48 + 1)
  return -weight / Math.log(uniform)
}
