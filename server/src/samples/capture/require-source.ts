// A source that calls and samples can come from: all models, one of them, a deployment, or a pipeline under its tag.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { type CaptureRules, serverlessSource } from './decide-capture.ts'

/** All models or one of them: a source that belongs to no pipeline. */
export function isSharedSource({ catalog }: Pick<App, 'catalog'>, source: string): boolean {
  return source === serverlessSource || catalog.find(source) !== null
}

/** The name of the source; a deployment may be named by its id. */
export async function requireSource(
  app: App,
  caller: Caller,
  given: string,
): Promise<{ source: string; rules: CaptureRules }> {
  const rules = await app.samples.captureBook.rulesOf(caller.workspace.id)
  if (isSharedSource(app, given) || rules.tags.has(given)) return { source: given, rules }
  const source = await app.calls.models.sourceNamed(caller.workspace.id, given)
  if (source !== null) return { source, rules }
  throw new Refusal(
    'NOT_FOUND',
    'There is no such source in this workspace; name serverless, a model, a deployment, or the tag of a pipeline.',
  )
}
