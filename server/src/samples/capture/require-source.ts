// A source that calls and samples can come from: all models, one of them, a deployment, or a pipeline under its tag.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { type CaptureRules, serverlessSource } from './decide-capture.ts'

/** All models or one of them: a source that belongs to no pipeline. */
export function isSharedSource({ catalog }: Pick<App, 'catalog'>, source: string): boolean {
  return source === serverlessSource || catalog.find(source) !== null
}

export async function requireSource(
  app: App,
  caller: Caller,
  source: string,
): Promise<CaptureRules> {
  const rules = await app.samples.captureBook.rulesOf(caller.workspace.id)
  if (isSharedSource(app, source) || rules.tags.has(source)) return rules
  if (await app.calls.models.isDeployment(caller.workspace.id, source)) return rules
  throw new Refusal(
    'NOT_FOUND',
    'There is no such source in this workspace; name serverless, a model, a deployment, or the tag of a pipeline.',
  )
}
