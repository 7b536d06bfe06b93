import { slugify } from '@svc/shared/wire/ids.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { OrganizationsRepository } from './organizations.repository.ts'

export type CreationDeps = {
  organizations: Pick<OrganizationsRepository, 'insert'>
  /** Appends to a chain of the audit, in the caller's transaction. */
  recordAudit(
    trx: Db,
    chain: string,
    record: { event: string; actor: { kind: 'user'; id: string }; orgId: string; subject?: string },
  ): Promise<void>
}

type Request = {
  name: string
  slug?: string | undefined
  daemonMode: 'self_hosted' | 'cloud_hosted'
  creatorId: string
}

const TRIES = 5
const SUFFIX_LENGTH = 4
const SLUG_ROOM = 40 - SUFFIX_LENGTH - 1

/**
 * Creates an organization with its first admin, in the caller's transaction; its audit begins with that. A chosen short
 * name that is taken is refused; one derived from the name gets a suffix until it is free.
 */
export async function createOrganization(trx: Db, { organizations, recordAudit }: CreationDeps, request: Request) {
  const created = await insert(trx, organizations, request)
  const actor = { kind: 'user', id: request.creatorId } as const
  await recordAudit(trx, created.id, { event: 'organization.created', actor, orgId: created.id })
  return created
}

async function insert(trx: Db, organizations: CreationDeps['organizations'], request: Request) {
  const { slug, ...rest } = request
  if (slug !== undefined) {
    const created = await organizations.insert(trx, { ...rest, slug })
    if (created === undefined) throw fail('slug_taken')
    return created
  }

  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const created = await organizations.insert(trx, { ...rest, slug: suggestSlug(request.name, attempt) })
    if (created !== undefined) return created
  }
  throw fail('slug_taken')
}

function suggestSlug(name: string, attempt: number): string {
  const base = slugify(name)
  if (attempt === 0 && base.length >= 2) return base
  const start = base.slice(0, SLUG_ROOM).replace(/-$/, '') || 'org'
  return `${start}-${randomBase32(SUFFIX_LENGTH)}`
}
