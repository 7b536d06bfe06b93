import { createHash } from 'node:crypto'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import { idBody } from '@svc/shared/wire/ids.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

type Given = { orgId: string; image: string; actor: Actor; reason: string; daemon: ManagedDaemon | undefined }

/**
 * The operationId of an image roll without one, derived from organization, image, caller and generation. Repeating a
 * roll that the spec still carries gives the same id, although the roll itself has raised the generation; repeating a
 * failed one gives a new id. Pure.
 */
export function deriveRollId({ orgId, image, actor, reason, daemon }: Given): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([image, actor.kind, actor.id, reason]))
    .digest('hex')
  const prefix = `roll-${idBody(orgId)}-${digest.slice(0, 16)}-`
  const { spec, status, generation = 0 } = daemon ?? {}

  const last = spec?.operation?.id ?? ''
  const failed = status?.operation?.id === last && status.operation.outcome === 'failed'
  return last.startsWith(prefix) && !failed ? last : `${prefix}${generation}`
}
