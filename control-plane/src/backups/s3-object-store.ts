import { createHash } from 'node:crypto'
import type { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3'
import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { ObjectStore } from './object-store.ts'

export type BucketConfig = {
  bucket: string
  region: string
  /** Undefined: Amazon's own endpoint of the region. */
  endpoint: string | undefined
  accessKeyId: string | undefined
  secretAccessKey: Secret | undefined
}

const REQUEST_MS = 60_000
const CONNECT_MS = 10_000
const ATTEMPTS = 3
const DELETED_AT_ONCE = 500

/** A bucket of S3 or of a storage with the same protocol. The library is loaded with the first request. */
export function createS3ObjectStore({ bucket: Bucket, region, endpoint, ...keys }: BucketConfig): ObjectStore {
  const load = async () => {
    const sdk = await import('@aws-sdk/client-s3')
    const { accessKeyId, secretAccessKey } = keys
    const client: S3Client = new sdk.S3Client({
      region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      // Without keys, the library finds those of the machine, for example a role of the pod.
      ...(accessKeyId !== undefined &&
        secretAccessKey !== undefined && {
          credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
        }),
      maxAttempts: ATTEMPTS,
      // Some storages do not know the newer checksums; the seal authenticates the chunks anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { requestTimeout: REQUEST_MS, connectionTimeout: CONNECT_MS },
    })
    return { sdk, client }
  }
  const loaded = loadOnce(load)

  return {
    put: (Key, Body, abortSignal) =>
      withStoreFailures(abortSignal, async () => {
        const { sdk, client } = await loaded()
        await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body }), { abortSignal })
      }),

    find: (Key, maxBytes, abortSignal) =>
      withStoreFailures(abortSignal, async () => {
        const { sdk, client } = await loaded()
        try {
          const { Body, ContentLength = 0 } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }), {
            abortSignal,
          })
          if (Body === undefined || ContentLength > maxBytes)
            throw fail('backup_store_refused', { reason: 'ObjectTooLarge' })
          return Buffer.from(await Body.transformToByteArray())
        } catch (error) {
          if (error instanceof sdk.NoSuchKey) return undefined
          throw error
        }
      }),

    async *list(Prefix, abortSignal) {
      let ContinuationToken: string | undefined
      do {
        const page = await withStoreFailures(abortSignal, async () => {
          const { sdk, client } = await loaded()
          return client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }), { abortSignal })
        })
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key !== undefined && LastModified !== undefined) yield { name: Key, modifiedAt: LastModified }
        ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined
      } while (ContinuationToken !== undefined)
    },

    delete: (names, abortSignal) =>
      withStoreFailures(abortSignal, async () => {
        const { sdk, client } = await loaded()
        for (let at = 0; at < names.length; at += DELETED_AT_ONCE) {
          const Objects = names.slice(at, at + DELETED_AT_ONCE).map((Key) => ({ Key }))
          const command = new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
          sendContentMd5(command)
          const { Errors } = await client.send(command, { abortSignal })
          if (Errors?.[0]) throw fail('backup_store_refused', { reason: reasonOf(Errors[0].Code) })
        }
      }),
  }
}

/**
 * Sends the checksum that every storage knows for this request. The library sends a newer one instead, whatever its
 * settings; storages that do not know it refuse the request for its missing Content-MD5.
 */
function sendContentMd5({ middlewareStack }: DeleteObjectsCommand): void {
  middlewareStack.add(
    (next) => (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: string | Uint8Array }
      for (const name of Object.keys(headers))
        if (/^x-amz-(?:checksum-|sdk-checksum-algorithm$)/i.test(name)) delete headers[name]
      headers['content-md5'] = createHash('md5').update(body).digest('base64')
      return next(args)
    },
    // After the library's own checksum, and before the signature.
    { step: 'build', priority: 'low' },
  )
}

type StoreError = { name?: string; $metadata?: { httpStatusCode?: number } }

const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'EntityTooLarge', 'StorageFull'])

async function withStoreFailures<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (isFailure(error)) throw error
    signal.throwIfAborted()
    const { name, $metadata } = error as StoreError
    const status = $metadata?.httpStatusCode
    const reason = reasonOf(name)
    if (status === 507 || FULL.has(name ?? '')) throw fail('backup_store_full', { reason }, { cause: error })
    if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429)
      throw fail('backup_store_refused', { reason }, { cause: error })
    throw fail('backup_store_unavailable', { reason }, { cause: error })
  }
}

/** The error code of the storage, if there is one. */
const reasonOf = (code: string | undefined): string =>
  code !== undefined && /^[A-Z][A-Za-z0-9]{1,60}$/.test(code) ? code : 'Unknown'
