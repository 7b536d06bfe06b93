import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { MAX_FOLLOWED_URI, parseOrgResourceUri, type OrgResourceName } from '@svc/shared/wire/mcp/resource-uri.ts'
import type { LiveGrant } from './rights/agent-rights.ts'
import type { AgentRights } from './rights/agent-rights.repository.ts'
import type { AgentClient } from '../tunnels/agent-client.ts'
import type { OpenCalls } from './rights/open-call.ts'
import type { OpenReachedCalls } from './rights/open-reached-call.ts'

/** A followed file, and the position in the changes of its vault after which changes are reported. */
export type Followed = { uri: string; since: string }
type Deps = {
  rights: Pick<AgentRights, 'refresh'>
  openCall: OpenCalls
  openReachedCall: OpenReachedCalls
  readChanges: AgentClient['readChanges']
  clock: Pick<Clock, 'sleep'>
}
type Watch = {
  grant: LiveGrant
  followed(): Promise<readonly Followed[]>
  tell(uri: string): void
  signal: AbortSignal
}
type FollowedFile = Followed & { path: string }
type VaultWatch = { org: string; vaultId: string; files: FollowedFile[] }
/** The position up to which the changes of a vault were told, and the files that they were told of. */
type Told = { at: string; uris: ReadonlySet<string> }

// Maximum duration of one query. Access is checked before each, so an agent that lost it is told nothing after 5
// seconds.
const WAIT_MS = 3_000
// Minimum time between two queries of a vault, whose daemon may claim a change each time; longer where a stream follows
// very many vaults.
const PAUSE_MS = 1_000
const PAUSE_PER_VAULT_MS = 50

/**
 * Follows files of vaults for agents by querying their daemons repeatedly. Each query checks again whether the agent
 * may still be notified.
 */
export function createWatchResources({ rights, openCall, openReachedCall, readChanges, clock }: Deps) {
  const readVault = async (watch: Watch, { vault, places }: { vault: VaultWatch; places: Map<string, Told> }) => {
    const { org, vaultId, files } = vault
    const key = `${org}/${vaultId}`
    const { orgId, identity } = await openCall({ grant: watch.grant, org, vaultId, kind: 'follows' })
    const tell = async (some: FollowedFile[], asked: { since: string; waitMs?: number }): Promise<string> => {
      const request = { vaultId, ...asked }
      const { at, paths, isComplete } = await readChanges({ orgId, identity, request, signal: watch.signal })
      const changed = new Set(paths.map((path) => path.normalize('NFC')))
      for (const { uri, path } of some) if (!isComplete || changed.has(path)) watch.tell(uri)
      return at
    }
    // The vault was read further than to where a file was followed while a query waited: what is between is read once.
    const told = places.get(key)
    const late = told === undefined ? [] : files.filter(({ uri }) => !told.uris.has(uri))
    if (late.length > 0) await tell(late, { since: late[0]!.since })

    const at = await tell(files, { since: told?.at ?? files[0]!.since, waitMs: WAIT_MS })
    places.set(key, { at, uris: new Set(files.map(({ uri }) => uri)) })
  }

  return {
    /** The present position in the changes of a file's vault. Fails as reading the file would, and wakes its daemon. */
    placeOf: async (uri: string, { grant, signal }: { grant: LiveGrant; signal: AbortSignal }): Promise<Followed> => {
      if (uri.length > MAX_FOLLOWED_URI) throw fail('not_found')
      const { org, vaultId } = fileOf(uri)
      const { orgId, identity } = await openReachedCall({ grant, org, vaultId, kind: 'reads', signal })
      const { at } = await readChanges({ orgId, identity, request: { vaultId }, signal })
      return { uri, since: at }
    },

    /**
     * Reports changes until the signal aborts or the grant ends. A daemon that cannot be reached is queried again
     * later.
     */
    follow: async (watch: Watch): Promise<void> => {
      const places = new Map<string, Told>()
      let { grant } = watch
      const round = async (vault: VaultWatch) => {
        try {
          await readVault({ ...watch, grant }, { vault, places })
        } catch (error) {
          if (!isFailure(error)) throw error
          await clock.sleep(WAIT_MS, watch.signal)
        }
      }
      try {
        for (;;) {
          const live = await rights.refresh(grant)
          if (live === undefined) return
          grant = live
          const vaults = byVault(await watch.followed())
          const pauseMs = vaults.length === 0 ? WAIT_MS : Math.max(PAUSE_MS, vaults.length * PAUSE_PER_VAULT_MS)
          await Promise.all([clock.sleep(pauseMs, watch.signal), ...vaults.map(round)])
        }
      } catch (error) {
        if (!watch.signal.aborted) throw error
      }
    },
  }
}

export type WatchResources = ReturnType<typeof createWatchResources>

function fileOf(uri: string): OrgResourceName {
  const file = parseOrgResourceUri(uri)
  if (file === undefined) throw fail('not_found')
  return file
}

/**
 * Groups files by their vault. The first position of a vault, which is the oldest, counts. An address may name a file in
 * another normal form than its name has, so paths are compared in one.
 */
function byVault(followed: readonly Followed[]): VaultWatch[] {
  const vaults = new Map<string, VaultWatch>()
  for (const { uri, since } of followed) {
    const { org, vaultId, path } = fileOf(uri)
    const key = `${org}/${vaultId}`
    const vault = vaults.get(key) ?? { org, vaultId, files: [] }
    vault.files.push({ uri, since, path: path.normalize('NFC') })
    vaults.set(key, vault)
  }
  return [...vaults.values()]
}
