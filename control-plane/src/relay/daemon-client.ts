import type { ServiceClaims, ServiceScope } from '@svc/shared/wire/assertions.ts'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import {
  FlushResult,
  StorageUsage,
  VaultCreated,
  VaultList,
  type CreateVaultRequest,
} from '@svc/shared/wire/daemon.api.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { z } from 'zod'
import { mintServiceAssertion } from '../entry/mint-assertion.ts'
import type { Signer } from '../entry/signing-keys.ts'
import type { Way } from './tunnels.ts'

const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const CALL_MS = 15_000
/** Answers of a daemon that the caller may be told as they are. */
const PASSED_ON = new Set(['vault_exists', 'invalid_request', 'not_found', 'storage_full', 'too_many_requests'])

type Options = { sign: Signer; findTunnel: (orgId: string) => Promise<Way> }
type Call<T extends z.ZodType> = {
  method: 'GET' | 'POST'
  path: string
  scope: ServiceScope
  answer: T
  body?: unknown
  /** On whose behalf; the daemon's audit names it. */
  act: ServiceClaims['act']
}

/** The platform's own calls to a daemon, over its tunnel. Answers are hostile input: bounded, timed and validated. */
export function createDaemonClient({ sign, findTunnel }: Options) {
  return (orgId: string) => {
    const call = async <T extends z.ZodType>(wanted: Call<T>): Promise<z.output<T>> => {
      const held = await findTunnel(orgId)
      const { text } = await mintServiceAssertion(sign, {
        daemonId: held.daemonId,
        orgId,
        act: wanted.act,
        scope: wanted.scope,
      })
      const signal = AbortSignal.timeout(CALL_MS)
      try {
        const { statusCode, body } = await held.pool.use().request({
          method: wanted.method,
          path: wanted.path,
          signal,
          headers: {
            host: 'daemon.invalid',
            accept: 'application/json',
            ...(wanted.body === undefined ? {} : { 'content-type': 'application/json' }),
            [ASSERTION_HEADER]: text,
          },
          body: wanted.body === undefined ? null : JSON.stringify(wanted.body),
        })
        const value = await readJson(body)
        if (statusCode >= 200 && statusCode < 300) {
          const parsed = wanted.answer.safeParse(value)
          if (parsed.success) return parsed.data
          throw fail('daemon_unreachable', { reason: 'answer_invalid' })
        }
        const told = readErrorBody(value)
        throw told && PASSED_ON.has(told.code) ? fail(told.code) : fail('daemon_unreachable', { status: statusCode })
      } catch (error) {
        if (signal.aborted) throw fail('daemon_timeout', undefined, { cause: error })
        if (isFailure(error) && error.code !== 'stream_reset') throw error
        throw fail('daemon_unreachable', undefined, { cause: error })
      }
    }

    return {
      listVaults: (act: ServiceClaims['act']) =>
        call({ method: 'GET', path: '/api/vaults', scope: 'vaults:list', answer: VaultList, act }),
      createVault: (act: ServiceClaims['act'], body: z.input<typeof CreateVaultRequest>) =>
        call({ method: 'POST', path: '/api/vaults', scope: 'vaults:create', answer: VaultCreated, body, act }),
      storage: (act: ServiceClaims['act']) =>
        call({ method: 'GET', path: '/api/ops/storage', scope: 'storage:read', answer: StorageUsage, act }),
      flush: (act: ServiceClaims['act'], vaultId: string) =>
        call({
          method: 'POST',
          path: `/api/vaults/${encodeURIComponent(vaultId)}/ops/flush`,
          scope: 'flush',
          answer: FlushResult,
          act,
        }),
    }
  }
}

export type DaemonClient = ReturnType<ReturnType<typeof createDaemonClient>>

async function readJson(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) {
      body.destroy()
      throw fail('daemon_unreachable', { reason: 'answer_too_large' })
    }
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
