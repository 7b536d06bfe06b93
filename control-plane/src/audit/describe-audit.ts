import type { AuditChain, AuditEntry, AuditNames, AuditPageQuery } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { AuditNamesRepository } from './audit-names.repository.ts'
import { PLATFORM } from './audit.repository.ts'
import type { createSearchAudit } from './search-audit.ts'

type Deps = { search: ReturnType<typeof createSearchAudit>; names: AuditNamesRepository }

/** Pages of the audit, with the names of the ids in them. */
export function createDescribeAudit({ search, names }: Deps) {
  const list = async (chain: AuditChain, { limit, cursor, actor, ...filter }: AuditPageQuery) => {
    const [before] = decodeCursor(cursor, ['number']) ?? []
    const actorId = actor?.includes('@') === true ? ((await names.findUserByEmail(actor)) ?? actor) : actor
    const page = { chain, limit, before: Number(before ?? Number.MAX_SAFE_INTEGER) }
    const { entries, next } = await search({ ...page, ...filter, actor: actorId })
    const named = await names.find([...new Set([chain, ...entries.flatMap(idsOf)])])
    return {
      ok: true as const,
      chain,
      entries,
      names: named,
      ...(next === undefined ? {} : { nextCursor: encodeCursor(String(next)) }),
    }
  }

  return {
    /** The chain that the request names: `platform`, or an organization by id or short name. */
    findChain: async (named: string): Promise<AuditChain> => {
      if (named === PLATFORM || named.startsWith('org_')) return named
      const found = await names.findOrganizationBySlug(named)
      if (found === undefined)
        throw fail('not_found', undefined, { message: 'No organization has this short name. A deleted one is found by its id.' }) // prettier-ignore
      return found
    },

    list,

    /**
     * A page for admins of an organization. It omits the internal notes of system admins and the addresses of people
     * outside the organization.
     */
    listForOrganization: async (orgId: string, query: AuditPageQuery) => {
      const page = await list(orgId, query)
      const people = Object.keys(page.names).filter((id) => page.names[id]?.email !== undefined)
      const members = await names.listMembers(orgId, people)
      const shown = Object.entries(page.names).map(([id, name]) =>
        members.includes(id) ? [id, name] : [id, withoutAddress(name)],
      )
      return { ...page, entries: page.entries.map(withoutInternals), names: Object.fromEntries(shown) as AuditNames }
    },
  }
}

const idsOf = ({ record: { actor, orgId, subject } }: AuditEntry): string[] =>
  [actor.id, orgId, subject].filter((id) => id !== undefined)

/** The organization does not see e-mail addresses of people outside it. */
const withoutAddress = ({ email: _email, ...name }: AuditNames[string]) => name

function withoutInternals({ record: { reason: _reason, owner: _owner, ...record }, ...entry }: AuditEntry): AuditEntry {
  return { ...entry, record }
}
