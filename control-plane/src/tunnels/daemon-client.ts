import type { ServiceClaims, ServiceScope } from '@svc/shared/wire/assertions.ts'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { BACKUP_BODY, LastRestore } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { ActivityResult } from '@svc/shared/wire/daemon/daemon-activity.ts'
import { UndoneList } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import {
  FlushResult,
  StorageUsage,
  VaultCreated,
  VaultList,
  type CreateVaultRequest,
} from '@svc/shared/wire/daemon/daemon.api.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { parseForeign } from '@svc/shared/wire/foreign-input.ts'
import type { z } from 'zod'
import { mintServiceAssertion } from '../entry/mint-assertion.ts'
import type { Signer } from '../entry/signing-keys.ts'
import { readJson, type Exchange } from './daemon-exchange.ts'
import { streamFromDaemon } from './daemon-stream.ts'
import type { Caller } from './exchange-budget.ts'
import type { OpenTunnel } from './tunnels.ts'

/** Failures of a daemon that the caller may see unchanged. */
const PASSED_ON = new Set([
  'vault_exists',
  'too_many_vaults',
  'invalid_request',
  'not_found',
  'storage_full',
  'storage_read_only',
  'too_many_requests',
])
/** Enough for 10,000 vaults. The limit is low because any member can request the list over and over. */
const MAX_VAULT_LIST_BYTES = 2 * 1024 * 1024

type Options = { sign: Signer; findTunnel: (orgId: string) => Promise<OpenTunnel>; exchange: Exchange }
type Call<T extends z.ZodType> = {
  method: 'GET' | 'POST'
  path: string
  scope: ServiceScope
  response: T
  body?: unknown
  /** The actor of the call, for the daemon's audit. */
  act: ServiceClaims['act']
  /** Largest response; absent: the default. */
  maxBytes?: number
  /** Aborts the call. */
  signal?: AbortSignal | undefined
}

type FrameCall = { target: string; body: AsyncIterable<Buffer>; signal: AbortSignal }

/** The platform's own calls to a daemon, over its tunnel. Responses are hostile input: limited, timed and validated. */
export function createDaemonClient({ sign, findTunnel, exchange }: Options) {
  return (orgId: string) => {
    const call = async <T extends z.ZodType>(wanted: Call<T>): Promise<z.output<T>> => {
      const held = await findTunnel(orgId)
      const { text } = await mintServiceAssertion(sign, {
        daemonId: held.daemonId,
        orgId,
        act: wanted.act,
        scope: wanted.scope,
      })
      const { status, text: answered } = await exchange(
        { orgId, caller: callerOf(wanted.act), pool: held.pool },
        {
          method: wanted.method,
          target: wanted.path,
          headers: [
            'host',
            'daemon.invalid',
            'accept',
            'application/json',
            ...(wanted.body === undefined ? [] : ['content-type', 'application/json']),
            ASSERTION_HEADER,
            text,
          ],
          text: wanted.body === undefined ? '' : JSON.stringify(wanted.body),
          maxBytes: wanted.maxBytes,
          signal: wanted.signal,
        },
      )
      const value = readJson(answered)
      if (status >= 200 && status < 300) {
        const parsed = parseForeign(wanted.response, value)
        if (parsed.success) return parsed.data
        throw fail('daemon_unreachable', { reason: 'answer_invalid' })
      }
      const told = readErrorBody(value)
      throw told && PASSED_ON.has(told.code) ? fail(told.code) : fail('daemon_unreachable', { status })
    }

    const exchangeFrames = async function* (act: ServiceClaims['act'], { target, body, signal }: FrameCall) {
      const held = await findTunnel(orgId)
      const claims = { daemonId: held.daemonId, orgId, act, scope: 'backup' } as const
      const { text } = await mintServiceAssertion(sign, claims)
      const headers = ['host', 'daemon.invalid', 'accept', BACKUP_BODY, 'content-type', BACKUP_BODY]
      yield* streamFromDaemon(held.pool, { target, headers: [...headers, ASSERTION_HEADER, text], body, signal })
    }

    return {
      /** Backup and restore: streams frames in both directions for as long as it takes. */
      exchangeFrames,
      lastRestore: (act: ServiceClaims['act']) =>
        call({ method: 'GET', path: '/api/ops/restore', scope: 'backup', response: LastRestore, act }),
      listVaults: (act: ServiceClaims['act'], signal?: AbortSignal) =>
        call({
          method: 'GET',
          path: '/api/vaults',
          scope: 'vaults:list',
          response: VaultList,
          maxBytes: MAX_VAULT_LIST_BYTES,
          act,
          signal,
        }),
      createVault: (act: ServiceClaims['act'], body: z.input<typeof CreateVaultRequest>) =>
        call({ method: 'POST', path: '/api/vaults', scope: 'vaults:create', response: VaultCreated, body, act }),
      listUndone: (act: ServiceClaims['act'], signal?: AbortSignal) =>
        call({ method: 'GET', path: '/api/ops/undone', scope: 'vaults:list', response: UndoneList, act, signal }),
      storage: (act: ServiceClaims['act']) =>
        call({ method: 'GET', path: '/api/ops/storage', scope: 'storage:read', response: StorageUsage, act }),
      readActivity: (act: ServiceClaims['act']) =>
        call({ method: 'GET', path: '/api/ops/activity', scope: 'flush', response: ActivityResult, act }),
      flushAll: (act: ServiceClaims['act']) =>
        call({ method: 'POST', path: '/api/ops/flush', scope: 'flush', response: FlushResult, act }),
      flush: (act: ServiceClaims['act'], vaultId: string) =>
        call({
          method: 'POST',
          path: `/api/vaults/${encodeURIComponent(vaultId)}/ops/flush`,
          scope: 'flush',
          response: FlushResult,
          act,
        }),
    }
  }
}

function callerOf(act: ServiceClaims['act']): Caller {
  return { name: 'user' in act ? act.user : act.system, by: 'platform' }
}
