import { createHash } from 'node:crypto'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import { idBody } from '@svc/shared/wire/ids.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

type Given = { orgId: string; image: string; actor: Actor; reason: string; daemon: ManagedDaemon | undefined }

/** The state of the operation that is recorded for an id; undefined if there is none. */
export type FindRecord = (operationId: string) => Promise<{ state: string } | undefined>

const ATTEMPTS_AT_MOST = 100

/**
 * The operationId of an image roll without one. A roll that failed before it changed the spec has not raised the
 * generation either: its repeat gets the next free id, so that whatever refused it can be mended.
 */
export async function findRollId(given: Given, findRecord: FindRecord): Promise<string> {
  const derived = deriveRollId(given)
  const carried = given.daemon?.spec.operation?.id
  let id = derived
  for (let attempt = 1; attempt < ATTEMPTS_AT_MOST; attempt += 1) {
    if (id === carried || (await findRecord(id))?.state !== 'failed') return id
    id = `${derived}.${attempt}`
  }
  return id
}

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
