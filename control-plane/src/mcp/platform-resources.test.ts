import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { verifies } from '../../../test/requirements.ts'
import { platformResources } from './platform-resources.ts'

const grant = { paused_at: null, organizations: [{ slug: 'acme' }, { slug: 'bolt' }, { slug: 'core' }] }
const by = { grant, signal: new AbortController().signal } as never
const uri = (vault: string, path: string) => `vault://${vault}/${path}`
const resource = (path: string) => ({ uri: uri('v', path), name: path, mimeType: 'text/plain', size: 1 })

type Page = { resources: ReturnType<typeof resource>[]; nextCursor?: string }

/** The resources of organizations, each with pages by cursor. A cursor without a page is refused. */
const resourcesOf = (pages: Record<string, Record<string, Page>>) =>
  platformResources({
    openCall: (async ({ org }: { org: string }) => ({ orgId: org, org, identity: {} })) as never,
    openReachedCall: {} as never,
    client: {
      async listResources({ orgId, request }: { orgId: string; request: { cursor?: string } }) {
        const own = pages[orgId]
        if (!own) throw fail('daemon_unreachable')
        const page = own[request.cursor ?? 'first']
        if (!page) throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor' }])
        return { ok: true, ...page }
      },
    } as never,
  })

test('pages go on from organization to organization, with the cursors of their daemons', async () => {
  verifies('agents.resources')
  const { list } = resourcesOf({
    acme: {
      first: { resources: [resource('a.md')], nextCursor: uri('v', 'a.md') },
      [uri('v', 'a.md')]: { resources: [resource('b.md')] },
    },
    core: { first: { resources: [resource('c.md')], nextCursor: '200' }, 200: { resources: [resource('d.md')] } },
  })
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await list(cursor, by)
    found.push(...page.resources.map((each) => each.uri))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(found).toEqual(['acme/v/a.md', 'acme/v/b.md', 'core/v/c.md', 'core/v/d.md'].map((path) => `vault://${path}`))
})

test('a cursor of an older control plane begins with the first page of the next organization', async () => {
  const { list } = resourcesOf({ bolt: { first: { resources: [resource('b.md')] } } })
  expect(await list('bolt:0', by)).toEqual(await list('bolt:', by))
})

test.each([
  { name: 'a word', cursor: 'x' },
  { name: 'an organization that is not there', cursor: 'none:' },
  { name: 'a cursor that the daemon refuses', cursor: 'acme:200' },
  { name: 'a text without an end', cursor: `acme:${'x'.repeat(20_000)}` },
])('$name is not a cursor', async ({ cursor }) => {
  const { list } = resourcesOf({
    acme: { first: { resources: [] } },
    bolt: { first: { resources: [resource('b.md')] } },
  })
  await expect(list(cursor, by)).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'cursor' }] })
})
