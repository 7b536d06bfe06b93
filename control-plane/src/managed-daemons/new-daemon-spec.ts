import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { Config } from '../config.ts'
import { autoGrowFor } from './auto-grow.ts'
import type { ManagedDaemonRow } from '../db/tables/managed-daemons.tables.ts'

type Given = {
  row: ManagedDaemonRow
  orgSlug: string
  /** Generation of the newest key that was ever accepted; 0 without one. */
  keyGeneration: number
  settings: Pick<Config['managedDaemons'], 'relayUrl' | 'storage' | 'resources'>
}

/** Address that the daemon of an organization dials. */
export const hostedRelayUrl = ({ relayUrl }: Pick<Given['settings'], 'relayUrl'>, orgId: string): string =>
  `${relayUrl}/t/${orgId}`

/** The spec of a new daemon's resource. It requests a key that is newer than any before. */
export function newDaemonSpec({ row, orgSlug, keyGeneration, settings }: Given): ManagedDaemonSpec {
  const { size, className, growth } = settings.storage
  const autoGrow = autoGrowFor(size, growth)
  return {
    orgId: row.organization_id,
    orgSlug,
    image: row.image,
    desiredState: 'running',
    relay: {
      url: hostedRelayUrl(settings, row.organization_id),
      keyGeneration: keyGeneration + 1,
      acceptedGeneration: keyGeneration,
    },
    storage: {
      size,
      ...(className === undefined ? {} : { className }),
      ...(autoGrow === undefined ? {} : { autoGrow }),
    },
    resources: settings.resources,
    paused: false,
    deletionPolicy: 'retain',
    operation: { id: row.operation_id, action: row.operation_action, epoch: row.operation_epoch },
  }
}

/**
 * The spec of a resource that takes over the volume of a lost one, runs nothing, and is removed with it. A cluster may
 * admit only digests of one repository, so an image that nobody has stands for the one that ran.
 */
export function specToRemove({ repository, ...given }: Given & { repository: string | undefined }): ManagedDaemonSpec {
  const spec = newDaemonSpec(given)
  const image = repository === undefined ? spec.image : `${repository}@sha256:${'0'.repeat(64)}`
  return { ...spec, image, desiredState: 'sleeping', deletionPolicy: 'delete' }
}
