import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { mcpSession, messagesOf } from '../support/mcp-session.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const MODERN = '2026-07-28'
let daemon: Svcd
const over = new AbortController()

beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(async () => {
  over.abort()
  await daemon.remove()
})

/** Lets a client follow resources; `told` collects the URIs of the updates that it gets. */
async function follower(version: string) {
  const session = await mcpSession(`${daemon.url}/mcp`, version)
  const told: string[] = []
  const read = async (stream: Response) => {
    for await (const { method, params } of messagesOf(stream))
      if (method === 'notifications/resources/updated') told.push(String(params?.['uri']))
  }
  const collect = (stream: Response) => void read(stream).catch(() => {}) // it ends with the test
  if (version !== MODERN) collect(await session.stream(over.signal))
  return {
    told,
    follow: async (uri: string) => {
      if (version !== MODERN) return expect((await session.ask('resources/subscribe', { uri })).error).toBeUndefined()
      const wanted = { notifications: { resourceSubscriptions: [uri] } }
      collect(await session.open('subscriptions/listen', wanted, over.signal))
    },
  }
}

test.each(['2025-11-25', MODERN])(
  'an agent that speaks %s is told of changes in a vault that was made after its first subscription',
  async (version) => {
    verifies('mcp.resources')
    const { told, follow } = await follower(version)
    await follow('vault://demo-vault/README.md')

    const slug = `later-${version}`
    expect((await call(daemon, '/api/vaults', { json: { displayName: slug, slug } })).status).toBe(201)
    await follow(`vault://${slug}/new.md`)
    const write = (precondition: object, body: string) =>
      call(daemon, `/api/vaults/${slug}/notes/new.md`, {
        method: 'PUT',
        headers: { 'content-type': 'text/markdown', ...precondition },
        body,
      })
    await write({ 'if-none-match': '*' }, '# New\n')
    let writes = 0
    await until('the change is told', async () => {
      await write({ 'if-match': '*' }, `# New ${(writes += 1)}\n`)
      return told.length > 0
    })
    expect(new Set(told)).toEqual(new Set([`vault://${slug}/new.md`]))
  },
)

test.each(['2025-11-25', MODERN])(
  'an agent that speaks %s is told of changes, by the address that it gave, also after the vault was away',
  async (version) => {
    verifies('mcp.resources')
    const { told, follow } = await follower(version)
    const slug = `away-${version}`
    expect((await call(daemon, '/api/vaults', { json: { displayName: slug, slug } })).status).toBe(201)
    const uri = `vault://${slug}/Q&A, v2.md`
    await follow(uri)
    const path = `/api/vaults/${slug}/notes/${encodeURIComponent('Q&A, v2.md')}`
    let writes = 0
    const write = (precondition: object) =>
      call(daemon, path, {
        method: 'PUT',
        headers: { 'content-type': 'text/markdown', ...precondition },
        body: `# ${(writes += 1)}\n`,
      })
    await write({ 'if-none-match': '*' })
    await until('the note is told', () => told.length > 0)

    const isServed = async () => (await call(daemon, `/api/vaults/${slug}/tree`)).status === 200
    const folder = join(daemon.home, 'vaults', slug)
    await rename(folder, join(daemon.home, slug))
    await until('the vault is gone', async () => !(await isServed()))
    told.length = 0
    await rename(join(daemon.home, slug), folder)
    await until('the vault is back', isServed)
    await until('what may have changed is told', () => told.length > 0)
    told.length = 0
    await until('a later change is told', async () => {
      await write({ 'if-match': '*' })
      return told.length > 0
    })
    expect(new Set(told)).toEqual(new Set([uri]))
  },
)
