// Samples as every door makes them, ready to be stored, for tests that are not about the door.
import type { App } from '#server/app.ts'
import { newId } from '#server/lib/id.ts'
import { placeTexts } from '#server/samples/own-storage/place-texts.ts'
import { expiryOf, type NewSample } from '#server/samples/sample/sample.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { inDatabase } from './in-database.ts'
import type { TestHone } from './test-hone.ts'

export async function firstWorkspace(hone: TestHone): Promise<{ id: string; orgId: string }> {
  const { json } = await hone.call('GET', '/api/api-keys/introspect', { key: hone.owner.key })
  const { workspace, org } = json as unknown as { workspace: { id: string }; org: { id: string } }
  return { id: workspace.id, orgId: org.id }
}

export function newSample(
  workspaceId: string,
  at: Date,
  change: Partial<NewSample> & { said?: string; answer?: string; days?: number } = {},
): NewSample {
  const { said = 'hello', answer = `You said ${said}.`, days = 30, ...rest } = change
  const conversation = JSON.stringify({
    tools: [],
    system: [],
    messages: [{ role: 'user', blocks: [{ type: 'text', text: said }] }],
    answer: [{ type: 'text', text: answer }],
  })
  return {
    id: newId(at),
    workspaceId,
    origin: 'captured',
    source: 'serverless',
    model: 'some/model',
    tags: [],
    requestId: null,
    importId: null,
    versionNo: null,
    rowKey: null,
    shape: null,
    answered: true,
    text: { conversation, searchText: said, bytes: Buffer.byteLength(conversation) },
    objectKey: null,
    signal: null,
    createdAt: at,
    expiresAt: expiryOf(at, days),
    ...rest,
  }
}

/** A text of exactly so many bytes. */
export function textOf(bytes: number): NewSample['text'] {
  return { conversation: 'x'.repeat(bytes), searchText: 'x', bytes }
}

/** As the recorder does it: the text to where it belongs, then the row. */
export async function keepSamples(app: App, samples: NewSample[]): Promise<NewSample[]> {
  const { placed, failed } = await placeTexts(app, samples[0]?.workspaceId ?? '', samples)
  if (failed.length > 0) throw new Error(`${failed.length} samples could not be placed`)
  await insertSamples(app.storage, placed)
  return placed
}

export async function storedSample(
  hone: TestHone,
  id: string,
): Promise<{ workspace_id: string; id: string; object_key: string | null } | null> {
  const [row] = await inDatabase<{ workspace_id: string; id: string; object_key: string | null }>(
    hone.databaseUrl,
    `select workspace_id, id, object_key from sample where id = '${id}'`,
  )
  return row ?? null
}
