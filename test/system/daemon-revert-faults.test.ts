import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { verifies } from '../requirements.ts'
import { faultyDisk, type Fault } from '../support/faulty-disk.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'

const TYPED = ['storage_full', 'storage_read_only', 'storage_failed', 'file_access_denied']
const WISH = { client: 'Archivist', since: '2000-01-01T00:00:00Z', dryRun: false }
// Only some steps are tested here: joint-changes.test.ts covers every step of the journal, and kills, without a daemon.
const STRIDE = 7
const faulty = faultyDisk()
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let agent: Client

beforeAll(async () => {
  daemon = await startRelayedDaemon({ disk: faulty.disk })
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
})
afterAll(async () => {
  await agent.close()
  await daemon.close()
})

const root = () => join(daemon.home, 'vaults/demo-vault')
const api = (path: string, json?: object) => daemon.local(`/api/vaults/demo-vault${path}`, json ? { json } : {})
const put = (path: string, content: string) =>
  daemon.local(`/api/vaults/demo-vault/notes/${path}`, { method: 'PUT', json: { content } })
async function tool(name: string, args: Record<string, unknown>) {
  const result = await agent.callTool({ name, arguments: { vaultId: 'demo-vault', ...args } })
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
}
async function baseline(path: string): Promise<string> {
  const { body } = await api(`/notes/${path}`)
  return (body as { note: { baseline: string } }).note.baseline
}
async function filesNow() {
  const found: Record<string, string> = {}
  for (const entry of await readdir(root(), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root().length + 1)
    if (entry.isFile() && path.endsWith('.md')) found[path] = await readFile(join(root(), path), 'utf8')
  }
  return found
}
const reverts = async () => {
  const { entries } = AuditList.parse((await api('/audit?limit=200')).body)
  return entries.filter((entry) => entry.tool === 'revert')
}

test('a revert on a failing disk changes all of it or nothing, and every entry of the audit says so', async () => {
  verifies('revert.whole', 'audit.intent')
  await put('plan.md', 'one\n')
  await put('old/name.md', 'a note\n')
  await put('doomed/deep/note.md', 'words that stay\n')
  await put('links.md', 'see [[old/name]]\n')
  await tool('edit_note', {
    path: 'plan.md',
    baseline: await baseline('plan.md'),
    edits: [{ oldText: 'one', newText: 'ONE' }],
  })
  await tool('create_note', { path: 'made.md', content: 'made by agent\n' })
  await tool('move_note', { from: 'old/name.md', to: 'moved.md' })
  await tool('delete_note', {
    path: 'doomed/deep/note.md',
    permanent: false,
    baseline: await baseline('doomed/deep/note.md'),
  })
  const before = await filesNow()

  let failures = 0
  const attempt = async (fault: Fault) => {
    faulty.arm(fault)
    const { status, text, body } = await api('/revert', WISH)
    const [hit] = faulty.heal()
    const isDone = status === 200
    const where = `${fault.errno} at step ${fault.at} (${hit}): ${text}`
    if (isDone) return { hit, notes: RevertResult.parse(body).notes.map(({ path }) => path) }
    failures++
    expect(TYPED, where).toContain(ErrorBody.parse(body).error.code)
    expect(await filesNow(), where).toEqual(before)
    expect(await readdir(join(root(), '.svc')), where).not.toContain('change.json')
    expect(
      (await reverts()).filter(({ outcome }) => outcome !== 'failed'),
      where,
    ).toEqual([])
    return undefined
  }

  let done: Awaited<ReturnType<typeof attempt>>
  for (let at = 1; !done; at += STRIDE) {
    expect(at).toBeLessThan(400)
    done = await attempt({ at, errno: at % 2 === 0 ? 'ENOSPC' : 'EIO', lasts: 'once' })
  }
  expect(failures).toBeGreaterThan(5)
  expect(done.notes.toSorted()).toEqual(['doomed/deep/note.md', 'links.md', 'made.md', 'moved.md', 'plan.md'])
  const after = await filesNow()
  expect(after).toMatchObject({
    'plan.md': 'one\n',
    'old/name.md': 'a note\n',
    'doomed/deep/note.md': 'words that stay\n',
    'links.md': 'see [[old/name]]\n',
  })
  expect(Object.keys(after)).not.toContain('made.md')
  expect(Object.keys(after)).not.toContain('moved.md')
  const made = (await reverts()).filter(({ outcome }) => outcome === 'done')
  expect(made.map(({ path, to }) => [path, to]).toSorted()).toEqual([
    ['doomed/deep/note.md', undefined],
    ['links.md', undefined],
    ['made.md', undefined],
    ['moved.md', 'old/name.md'],
    ['plan.md', undefined],
  ])
})
