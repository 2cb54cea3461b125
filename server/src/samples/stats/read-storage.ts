// How much of a workspace, or of one tag in it, is stored, where, and whether storing it costs something.
import type { StorageUse } from '#contract/pipeline.ts'
import type { App } from '../../app.ts'
import { platformPlace, readSizes, type StoredSize } from '../sample/stored-size-store.ts'

export async function readStorage(
  app: Pick<App, 'storage' | 'catalog' | 'samples'>,
  workspaceId: string,
  { tag = '' }: { tag?: string } = {},
): Promise<StorageUse> {
  const [sizes, bucket] = await Promise.all([
    readSizes(app.storage.db, workspaceId, tag),
    app.samples.ownStorages.defaultOf(workspaceId),
  ])
  return storageUse(sizes, bucket !== null, app.catalog.storagePrice > 0n)
}

function storageUse(
  sizes: readonly StoredSize[],
  hasBucket: boolean,
  hasPrice: boolean,
): StorageUse {
  const onPlatform = sizes.some(({ place }) => place === platformPlace)
  const inBuckets = sizes.some(({ place }) => place !== platformPlace)
  return {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    objects: sizes.reduce((sum, { samples }) => sum + samples, 0),
    where: whereIs(onPlatform, inBuckets, hasBucket),
    billed: hasPrice && onPlatform,
  }
}

/** Where nothing is stored yet, it says where it would go. */
function whereIs(onPlatform: boolean, inBuckets: boolean, hasBucket: boolean): StorageUse['where'] {
  if (onPlatform && inBuckets) return 'both'
  if (onPlatform || inBuckets) return onPlatform ? 'platform' : 'your_storage'
  return hasBucket ? 'your_storage' : 'platform'
}
