import { fileURLToPath } from 'node:url'
import type { Redis } from 'ioredis'
import type { BodyPace } from '@svc/shared/http/body-pace.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { preferencesRepository } from '../../control-plane/src/accounts/preferences.repository.ts'
import { createEntry } from '../../control-plane/src/entry/entry.domain.ts'
import { createGateway } from '../../control-plane/src/gateway/gateway.domain.ts'
import { createMemoryCounters } from '../../control-plane/src/http/rate-limit.ts'
import type { HostedDaemons } from '../../control-plane/src/gateway/wake-queue.ts'
import { createLimits } from '../../control-plane/src/limits/limits.domain.ts'
import type { OrgLimitSettings } from '../../control-plane/src/limits/org-use.ts'
import { createDaemonTunnels, type TunnelsDeps } from '../../control-plane/src/tunnels/tunnels.domain.ts'

export type RelayDeps = Omit<TunnelsDeps, 'entry' | 'queued' | 'isHosted' | 'shared'> & {
  clock: Clock
  log: Log
  vaultOriginTemplate: string
  hosted: HostedDaemons
  limits?: OrgLimitSettings | undefined
  limitLeaseMs?: number | undefined
  bodyPace?: BodyPace | undefined
  shared?: { redis: Redis; url: string } | undefined
}

const platformLimits = {
  requests: 512,
  bytesPerSecond: 64 * 1024 * 1024,
  personPercent: 50,
  bodyBytes: 2 ** 40,
  tunnels: 4,
  storageMaxSize: null,
}

/** Composes the relay of one replica as app.ts does, without the rest of the control plane. */
export function createRelay({
  hosted,
  limits: settings,
  limitLeaseMs: leaseMs,
  bodyPace,
  vaultOriginTemplate,
  ...deps
}: RelayDeps) {
  const { clock, log, baseUrl, shared } = deps
  const entry = createEntry({ ...deps, vaultOriginTemplate })
  const growth = { maxSize: undefined, abovePercent: 80 }
  const limits = createLimits({ db: deps.db, platform: platformLimits, growth, settings, leaseMs, clock, log })
  const isHosted = async (orgId: string) => (await hosted.state(orgId)) !== 'not_hosted'
  const maxTunnelsOf = (orgId: string) => limits.limitsOf(orgId).limits.tunnels
  const tunnels = createDaemonTunnels({ ...deps, entry, queued: limits.queued, isHosted, maxTunnelsOf })
  const people = {
    ...preferencesRepository(deps.db),
    findOrganization: (id: string) =>
      deps.db.selectFrom('organization').select('name').where('id', '=', id).executeTakeFirst(),
  }
  const listVaults = async (orgId: string, user: string) =>
    (await tunnels.daemonClient(orgId).listVaults({ user })).vaults
  const gateway = createGateway({
    diagramRoot: fileURLToPath(new URL('../../control-plane/dist/diagram', import.meta.url)),
    baseUrl,
    entry,
    tunnels,
    limits,
    hosted,
    redis: shared?.redis,
    counters: deps.counters ?? createMemoryCounters(clock),
    trustedProxies: deps.trustedProxies ?? [],
    bodyPace,
    clock,
    log,
    people,
    listVaults,
  })

  return {
    ...tunnels,
    gateway: gateway.door,
    origins: entry.origins,
    entries: entry.sessions,
    signingKeys: entry.signingKeys,
    revocations: entry.revocations,
    findTunnel: tunnels.held.find,
    tunnelCount: tunnels.count,
    start: (): void => {
      entry.start()
      tunnels.start()
      gateway.start()
    },
    close: async (): Promise<void> => {
      await gateway.close()
      await tunnels.close()
      await entry.close()
    },
  }
}

export type Relay = ReturnType<typeof createRelay>
