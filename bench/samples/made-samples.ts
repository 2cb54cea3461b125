// Samples around the made-up conversations: times over a month, tags, models and feedback as workspaces have them, common
// and rare.
import { newId } from '#server/lib/id.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { storedText } from '#server/samples/sample/stored-text.ts'
import { type Corpus, seeded } from './corpus.ts'

const monthMs = 30 * 24 * 3600 * 1000
const firstMs = Date.parse('2026-01-01T00:00:00Z')

/** Number `n` of `of` samples. */
export function madeSample(
  corpus: Corpus,
  workspaceId: string,
  number: number,
  of: number,
): NewSample {
  const random = seeded(number ^ 0x5eed)
  const createdAt = new Date(firstMs + Math.floor((number / of) * monthMs))
  const tags = [`team-${Math.floor(random() * 20)}`]
  if (random() < 0.3) tags.push('common')
  if (random() < 0.002) tags.push('rare')
  const judged = random() < 0.05
  return {
    id: newId(createdAt),
    workspaceId,
    origin: random() < 0.1 ? 'imported' : 'captured',
    source: 'support',
    model: random() < 0.001 ? 'rare/model' : `some/model-${Math.floor(random() * 3)}`,
    tags,
    requestId: null,
    importId: null,
    versionNo: null,
    rowKey: null,
    shape: null,
    answered: true,
    text: storedText(corpus.conversation(number)),
    objectKey: null,
    signal: judged
      ? {
          id: newId(createdAt),
          verdict: random() < 0.7 ? 'accepted' : 'rejected',
          correction: null,
          givenBy: 'person',
          gold: true,
          userId: null,
          keyId: null,
        }
      : null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 100 * monthMs),
  }
}
