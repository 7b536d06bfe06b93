import { fileURLToPath } from 'node:url'
import type { Redis } from 'ioredis'
import type { BodyPace } from '@svc/shared/http/body-pace.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { createDiagramFiles } from '@svc/shared/diagram/diagram-files.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Entry } from '../entry/entry.domain.ts'
import { createClientAddress } from '../http/client-address.ts'
import { createRateLimit, type Counters } from '../http/rate-limit.ts'
import type { createLimits } from '../limits/limits.domain.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createAnswerPerson, type PeopleDeps } from './answer-person.ts'
import { createDiagramPage } from './diagram-page.ts'
import { createEnterVault } from './enter-vault.ts'
import { createPublicGateway } from './public-gateway.ts'
import { createRequestAssertions } from '../entry/kept-assertions.ts'
import { RequestEnd } from './request-end.ts'
import { createWakeQueue, type HostedDaemons } from './wake-queue.ts'

type Deps = {
  baseUrl: string
  entry: Entry
  tunnels: DaemonTunnels
  limits: ReturnType<typeof createLimits>
  counters: Counters
  trustedProxies: readonly string[]
  hosted: HostedDaemons
  people: Omit<PeopleDeps, 'listVaults' | 'look'>
  /** Calls the daemon of an organization on behalf of the platform. */
  listVaults(orgId: string, userId: string): Promise<{ id: string; displayName: string }[]>
  /** Shared by replicas; absent: this replica is the only one. */
  redis: Redis | undefined
  bodyPace?: BodyPace | undefined
  /** How long requests are held while a daemon wakes. */
  wakeMs?: number | undefined
  /** Folder of the built diagram page. */
  diagramRoot: string
  clock: Clock
  log: Log
}

/** The caller and the daemon; the signal aborts when nobody waits any more. */
export type Reach = { orgId: string; person: string; signal: AbortSignal }
/** After a wait, what was decided before must be decided again. */
export type Reached = 'at_once' | 'waited'

/** Entry assertions that are not valid, by address. */
const WRONG_ENTRIES = { key: 'wrong-entry', max: 30, seconds: 60 }

/** Where the build puts the page that draws diagrams. */
export const DIAGRAM_ROOT = fileURLToPath(new URL('../../dist/diagram', import.meta.url))

export type Gateway = ReturnType<typeof createGateway>

/** The browsers' side of the relay: vault origins and the requests to their daemons. */
export function createGateway(deps: Deps) {
  const { baseUrl, entry, tunnels, limits, hosted, people, listVaults, redis, bodyPace, wakeMs, diagramRoot } = deps
  const { counters, trustedProxies, clock, log } = deps
  const rateLimit = createRateLimit(counters)
  const addressOf = createClientAddress(trustedProxies)
  const { origins, sessions, signingKeys, revocations, verify } = entry
  const { replicaId, replicaCount: replicas } = tunnels
  const { queued } = limits
  const wakeQueue = createWakeQueue({ tunnels, hosted, wakeMs, clock })
  const orgLimits = limits.ofOrganizations({ replicaId, replicas, redis })

  const endingWith = (signal: AbortSignal): RequestEnd => {
    const requestEnd = new RequestEnd()
    signal.addEventListener('abort', () => requestEnd.end(), { once: true })
    return requestEnd
  }

  /** Waits until a daemon is connected and wakes it if it sleeps, as for a browser's request. */
  const reach = async ({ orgId, person, signal }: Reach): Promise<Reached> => {
    if (tunnels.held.find(orgId) !== undefined || (await tunnels.findElsewhere(orgId)) !== undefined) return 'at_once'
    await wakeQueue.find({ orgId, person, requestEnd: endingWith(signal) })
    return 'waited'
  }

  return {
    // The gateway gets the request signer alone: it cannot act as the platform.
    door: createPublicGateway({
      baseUrl,
      origins,
      entries: sessions,
      enterVault: createEnterVault({
        baseUrl,
        secure: origins.secure,
        entries: sessions,
        verifyEntry: verify,
        countWrong: (request) => rateLimit({ ...WRONG_ENTRIES, client: addressOf(request) }),
      }),
      answerPerson: createAnswerPerson({
        baseUrl,
        secure: origins.secure,
        people: {
          ...people,
          look: async ({ orgId, userId, signal }) => {
            await wakeQueue.findAwake({ orgId, person: userId, requestEnd: endingWith(signal) })
          },
          listVaults: async ({ orgId, userId, signal }) => {
            await reach({ orgId, person: userId, signal })
            return listVaults(orgId, userId)
          },
        },
      }),
      serveDiagram: createDiagramPage({ files: createDiagramFiles(diagramRoot), secure: origins.secure }),
      assertionFor: createRequestAssertions({
        sign: signingKeys.signer('request'),
        onRevocation: revocations.onRevocation,
        clock,
      }),
      wakeQueue,
      limits: orgLimits,
      maxBodyBytesOf: (orgId) => limits.limitsOf(orgId).limits.bodyBytes,
      queued,
      bodyPace,
      log,
    }),
    reach,
    start: (): void => {
      limits.start()
      orgLimits.start()
      queued.start()
    },
    close: async (): Promise<void> => {
      await Promise.all([limits.close(), orgLimits.close(), queued.close()])
    },
  }
}
