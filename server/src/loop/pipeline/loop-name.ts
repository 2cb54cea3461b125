// The name `loop-<tag>`, under which a pipeline's live version is called. Nothing is live before a version was trained,
// and then the name answers nothing (spec 2, recording headers).
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'

const prefix = 'loop-'

export function isLoopName(slug: string): boolean {
  return slug.startsWith(prefix)
}

/** Refuses a pipeline's name with the reason; any other name is none of its business. */
export async function refuseLoopName(
  app: App,
  caller: Caller,
  slug: string,
  dialect: 'chat' | 'messages',
): Promise<void> {
  if (!isLoopName(slug) || app.catalog.find(slug)) return
  const { tags } = await app.captureBook.rulesOf(caller.workspace.id)
  if (!tags.has(slug.slice(prefix.length))) return
  if (!caller.scopes.has('deployments:read')) {
    // Spec 1, errors: a model that the key cannot reach.
    throw new Refusal(
      'model_not_found',
      `Calling ${slug} needs a key with the scope deployments:read.`,
      { param: 'model' },
    )
  }
  if (dialect === 'messages') {
    throw new Refusal(
      'unsupported_by_model',
      `${slug} is a deployment and answers POST /v1/chat/completions only.`,
      { param: 'model' },
    )
  }
  throw new Refusal(
    'model_not_found',
    `${slug} has no live version yet; it can be called once its pipeline has put one live.`,
    { param: 'model' },
  )
}
