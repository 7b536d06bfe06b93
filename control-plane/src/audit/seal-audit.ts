import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { AuditChain } from '@svc/shared/wire/audit.api.ts'
import type { AuditKey } from './audit-key.ts'
import type { AuditRepository } from './audit.repository.ts'
import { signedText, type AuditHead, type SignedHead } from './verify-chain.ts'
import type { Verification } from './verify-audit.ts'

type Deps = {
  repository: AuditRepository
  key: AuditKey
  clock: Clock
  log: Log
  verify: (chain: AuditChain, by?: { signal?: AbortSignal | undefined }) => Promise<Verification>
}

/** Signs heads of chains, and replaces old prefixes by a signed row. */
export function sealAudit({ repository, key, clock, log, verify }: Deps) {
  const signHead = (kind: 'checkpoint' | 'retention', chain: AuditChain, head: AuditHead): SignedHead => {
    const at = clock.now().toISOString()
    return { ...head, at, keyId: key.id, signature: key.sign(signedText(kind, chain, { ...head, at })) }
  }

  return {
    /** Signs every chain that has grown, and logs the head: that copy survives the loss of the database. */
    checkpoint: async (signal?: AbortSignal): Promise<number> => {
      const unsigned = await repository.listUnsigned()
      for (const { chain, ...head } of unsigned) {
        signal?.throwIfAborted()
        const signed = signHead('checkpoint', chain, head)
        await repository.insertCheckpoint(chain, signed)
        log.info({ chain, ...signed }, 'audit checkpoint')
      }
      return unsigned.length
    },

    /** Signs the head at the end of an export; undefined when the chain has no rows. */
    signExported: async (chain: AuditChain): Promise<SignedHead | undefined> => {
      const head = await repository.findHead(chain)
      return head && signHead('checkpoint', chain, head)
    },

    /** Replaces older rows by a signed row, chain by chain. Skips a chain that does not verify. */
    retain: async (olderThan: Date, signal?: AbortSignal): Promise<number> => {
      let removed = 0
      for (const chain of await repository.listChains()) {
        signal?.throwIfAborted()
        const last = await repository.findLastBefore(chain, olderThan)
        if (last === undefined) continue

        const { broken } = await verify(chain, { signal })
        if (broken.length > 0) {
          log.error({ chain, broken }, 'audit chain is broken; nothing of it is removed')
          continue
        }
        removed += await repository.replacePrefix(chain, signHead('retention', chain, last))
      }
      return removed
    },
  }
}
