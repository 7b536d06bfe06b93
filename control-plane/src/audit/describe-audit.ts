import type { AuditChain, AuditEntry, AuditNames, AuditPageQuery } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { AuditNamesRepository } from './audit-names.repository.ts'
import { PLATFORM } from './audit.repository.ts'
import type { createSearchAudit } from './search-audit.ts'
import { NAMELESS } from './shown-name.ts'

type Deps = { search: ReturnType<typeof createSearchAudit>; names: AuditNamesRepository }

/** Pages of the audit, with the names of the ids in them. */
export function createDescribeAudit({ search, names }: Deps) {
  const list = async (chain: AuditChain, { limit, cursor, ...filter }: AuditPageQuery) => {
    const [before] = decodeCursor(cursor, ['number']) ?? []
    const page = { chain, limit, before: Number(before ?? Number.MAX_SAFE_INTEGER) }
    const { entries, next } = await search({ ...page, ...filter })
    const named = await names.find([...new Set([chain, ...entries.flatMap(idsOf)])])
    return {
      ok: true as const,
      chain,
      entries,
      names: named,
      ...(next === undefined ? {} : { nextCursor: encodeCursor(String(next)) }),
    }
  }

  /** Replaces the address of an actor by an id, if `find` knows it. */
  const withActorId = async (query: AuditPageQuery, find: (email: string) => Promise<string | undefined>) => {
    const { actor } = query
    return actor?.includes('@') === true ? { ...query, actor: (await find(actor)) ?? actor } : query
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

    list: async (chain: AuditChain, query: AuditPageQuery) =>
      list(chain, await withActorId(query, names.findUserByEmail)),

    /**
     * A page for admins of an organization. It omits the internal notes of system admins and the addresses of people
     * outside the organization. Nor can such addresses be guessed by searching for them.
     */
    listForOrganization: async (orgId: string, query: AuditPageQuery) => {
      const page = await list(orgId, await withActorId(query, (email) => names.findKnownUserByEmail(orgId, email)))
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

/** The organization does not see e-mail addresses of people outside it, nor one that stands for a missing name. */
const withoutAddress = ({ email, ...named }: AuditNames[string]) =>
  email !== undefined && named.name.toLowerCase() === email ? { ...named, name: NAMELESS } : named

function withoutInternals({ record: { reason: _reason, owner: _owner, ...record }, ...entry }: AuditEntry): AuditEntry {
  return { ...entry, record }
}
