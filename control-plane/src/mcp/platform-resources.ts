import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import {
  MAX_URI,
  orgResourceUri,
  parseOrgResourceUri,
  parseResourceUri,
  resourceUri,
} from '@svc/shared/wire/mcp/resource-uri.ts'
import type { LiveGrant } from './rights/agent-rights.ts'
import type { AgentClient } from '../tunnels/agent-client.ts'
import type { OpenCalls } from './rights/open-call.ts'
import type { OpenReachedCalls } from './rights/open-reached-call.ts'
import { usableOrgs } from './rights/usable-orgs.ts'

type Deps = {
  openCall: OpenCalls
  openReachedCall: OpenReachedCalls
  client: AgentClient
}
type By = { grant: LiveGrant; signal: AbortSignal }
/** The argument of a prompt or of the resource template that a person is typing, and the arguments given so far. */
export type Typed = { name: string; value: string; given: Readonly<Record<string, string>> }

export const orgResourceTemplate = {
  uriTemplate: 'vault://{org}/{vaultId}/{+path}',
  name: 'file',
  title: 'A note or attachment',
  description: 'org from list_orgs, vaultId from list_vaults; path relative to the vault.',
}

/**
 * The files of every vault that an agent may use. A listing visits one organization after the other and wakes no
 * daemon. It leaves out daemons that cannot be reached now.
 */
export function platformResources({ openCall, openReachedCall, client }: Deps) {
  const listOf = async (slug: string, cursor: string | undefined, { grant, signal }: By) => {
    const { orgId, org, identity } = await openCall({ grant, org: slug, kind: 'reads' })
    const page = await client.listResources({ orgId, identity, request: { ...(cursor && { cursor }) }, signal })
    const resources = page.resources.flatMap((resource) => {
      const file = parseResourceUri(resource.uri)
      return file ? [{ ...resource, uri: orgResourceUri({ org, ...file }) }] : []
    })
    return { resources, nextCursor: page.nextCursor }
  }

  /** Undefined when the request fails. A cursor that the daemon refuses is an error: its files would be left out. */
  const pageOf = async (slug: string, cursor: string | undefined, by: By) => {
    try {
      return await listOf(slug, cursor, by)
    } catch (error) {
      if (cursor !== undefined && isFailure(error, 'invalid_request')) throw noCursor()
      if (isFailure(error)) return undefined
      throw error
    }
  }

  return {
    list: async (cursor: string | undefined, by: By) => {
      const orgs = usableOrgs(by.grant)
      const from = placeOf(cursor)
      const start = from === undefined ? 0 : orgs.findIndex(({ slug }) => slug === from.slug)
      if (start === -1) throw noCursor()
      for (const [index, { slug }] of orgs.entries()) {
        if (index < start) continue
        const page = await pageOf(slug, index === start ? from?.cursor : undefined, by)
        if (page === undefined) continue
        const following = orgs[index + 1]
        const next = page.nextCursor === undefined ? following && `${following.slug}:` : `${slug}:${page.nextCursor}`
        return { resources: page.resources, ...(next !== undefined && { nextCursor: next }) }
      }
      return { resources: [] }
    },

    read: async (uri: string, { grant, signal }: By) => {
      const file = parseOrgResourceUri(uri)
      if (file === undefined) throw fail('not_found')
      const { org, vaultId } = file
      const { orgId, identity, countUse } = await openReachedCall({ grant, org, vaultId, kind: 'reads', signal })
      const { contents } = await client.readResource({ orgId, identity, request: { uri: resourceUri(file) }, signal })
      countUse()
      return { contents: contents.map((content) => ({ ...content, uri })) }
    },

    complete: async ({ name, value, given }: Typed, { grant, signal }: By) => {
      if (name === 'org') {
        const slugs = usableOrgs(grant).map(({ slug }) => slug)
        const values = slugs.filter((slug) => slug.includes(value.toLowerCase()))
        return { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 }
      }
      const { org, vaultId } = given
      const none = { values: [], total: 0, hasMore: false }
      if (org === undefined || (name !== 'vaultId' && name !== 'path')) return none
      const request = { name, value, ...(vaultId !== undefined && { vaultId }) }
      const ask = async () => {
        const { orgId, identity } = await openCall({ grant, org, vaultId, kind: 'reads' })
        return client.complete({ orgId, identity, request, signal })
      }
      const found = await orUndefined(ask())
      return found === undefined ? none : { values: found.values, total: found.total, hasMore: found.hasMore }
    },
  }
}

export type PlatformResources = ReturnType<typeof platformResources>

/** An organization, and the cursor of its daemon; without that, the first page of the organization. */
function placeOf(cursor: string | undefined): { slug: string; cursor: string | undefined } | undefined {
  if (cursor === undefined) return undefined
  const end = cursor.indexOf(':')
  const [slug, rest] = [cursor.slice(0, end), cursor.slice(end + 1)]
  if (end === -1 || rest.length > MAX_URI) throw noCursor()
  // An older control plane began an organization with 0.
  return { slug, cursor: rest === '' || rest === '0' ? undefined : rest }
}

const noCursor = () => fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this list' }])

/** Undefined when the request fails, for example because the organization does not allow it. A bug is thrown. */
async function orUndefined<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
