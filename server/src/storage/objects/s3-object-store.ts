// Objects in one bucket of an S3-compatible store.
import type { S3Client } from '@aws-sdk/client-s3'
import type { Network } from '../../lib/guarded-fetch.ts'
import type { HostList } from '../../lib/host-list.ts'
import { guardedHandler } from './guarded-handler.ts'
import { ObjectFailure, type ObjectStore } from './object-store.ts'
import { s3Failure, type S3Operation } from './s3-failure.ts'

export type S3Bucket = {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  forcePathStyle: boolean
}

export type S3Options = {
  /** Endpoints that may be private. */
  hosts: HostList
  objectBytesMax: number
  /** For one try of one request, and for all its tries together. */
  requestMs?: number
  totalMs?: number
  triesMax?: number
  network?: Network
}

const connectionsMax = 16

export function openS3(bucket: S3Bucket, options: S3Options): ObjectStore {
  const { requestMs = 10_000, totalMs = 20_000, triesMax = 3 } = options
  const handler = guardedHandler(
    { url: new URL(bucket.endpoint), bucket: bucket.bucket, hosts: options.hosts },
    {
      requestMs,
      answerBytesMax: options.objectBytesMax,
      connectionsMax,
      ...(options.network ? { network: options.network } : {}),
    },
  )
  // The library is large, and most processes never meet a bucket.
  const library = import('@aws-sdk/client-s3')
  const client: Promise<S3Client> = library.then(
    ({ S3Client }) =>
      new S3Client({
        endpoint: bucket.endpoint,
        region: bucket.region,
        credentials: {
          accessKeyId: bucket.accessKeyId,
          secretAccessKey: bucket.secretAccessKey,
        },
        forcePathStyle: bucket.forcePathStyle,
        requestHandler: handler,
        maxAttempts: triesMax,
        // Stores other than Amazon's do not all know the newer checksums.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        // Nothing but the endpoint decides who is asked, neither the bucket's name nor this machine's settings.
        disableS3ExpressSessionAuth: true,
        disableMultiregionAccessPoints: true,
        useArnRegion: false,
        useFipsEndpoint: false,
        useDualstackEndpoint: false,
        followRegionRedirects: false,
      }),
  )
  const attempt = async <Result>(
    operation: S3Operation,
    send: (client: S3Client, abortSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await send(await client, AbortSignal.timeout(totalMs))
    } catch (error) {
      throw s3Failure(error, operation)
    }
  }
  const of = (key: string): { Bucket: string; Key: string } => ({ Bucket: bucket.bucket, Key: key })
  return {
    async put(key, text) {
      const { PutObjectCommand } = await library
      const Body = Buffer.from(text)
      const command = new PutObjectCommand({ ...of(key), Body, ContentType: 'application/json' })
      await attempt('put', (s3, abortSignal) => s3.send(command, { abortSignal }))
    },
    async get(key) {
      const { GetObjectCommand } = await library
      return attempt('get', async (s3, abortSignal) => {
        const { Body } = await s3.send(new GetObjectCommand(of(key)), { abortSignal })
        return (await Body?.transformToString('utf-8')) ?? ''
      })
    },
    async delete(key) {
      const { DeleteObjectCommand } = await library
      try {
        await attempt('delete', (s3, abortSignal) =>
          s3.send(new DeleteObjectCommand(of(key)), { abortSignal }),
        )
      } catch (error) {
        if (!(error instanceof ObjectFailure && error.kind === 'missing')) throw error
      }
    },
    close() {
      handler.destroy()
    },
  }
}
