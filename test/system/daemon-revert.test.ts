import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AuthorsAnswer, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { TrashList } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { AgentCallAnswer } from '@svc/shared/wire/mcp/agent-call.api.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type AgentCaller, type RelayedPerson } from '../support/relayed-daemon.ts'

const VAULT = '/api/vaults/demo-vault'
const BEGINNING = '2000-01-01T00:00:00Z'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let admin: RelayedPerson
let member: RelayedPerson
let agent: Client

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  admin = daemon.person('admin')
  member = daemon.person('member')
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
})
afterAll(async () => {
  await agent.close()
  await daemon.close()
})

const note = async (path: string) => {
  const { status, body } = await daemon.local(`${VAULT}/notes/${path}`)
  return status === 200 ? (body as { note: { content: string; baseline: string } }).note : undefined
}
const onDisk = (path: string) => readFile(join(daemon.home, 'vaults/demo-vault', path), 'utf8')
async function put(path: string, content: string) {
  const old = await note(path)
  const headers: Record<string, string> = old ? { 'if-match': `"${old.baseline}"` } : {}
  const { status } = await member.call(`${VAULT}/notes/${path}`, { method: 'PUT', json: { content }, headers })
  expect([200, 201]).toContain(status)
}
async function tool(name: string, args: Record<string, unknown>) {
  const result = await agent.callTool({ name, arguments: { vaultId: 'demo-vault', ...args } })
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
}
const agentEdits = async (path: string, oldText: string, newText: string) =>
  tool('edit_note', { path, baseline: (await note(path))!.baseline, edits: [{ oldText, newText }] })
type Caller = (path: string, options: { json: object }) => Promise<{ status: number; body: unknown }>
const revert = async (wish: object, by: Caller = daemon.local) => {
  const { status, body } = await by(`${VAULT}/revert`, { json: wish })
  return { status, result: status === 200 ? RevertResult.parse(body) : undefined }
}

test('changes of an agent are shown, then undone; later changes of people stay', async () => {
  verifies('revert.reviewed', 'revert.keeps-people', 'notes.changed-baseline')
  await put('plan.md', '# Plan\n\none\ntwo\nthree\n')
  await put('doomed.md', 'words that stay\n')
  await put('old/name.md', 'a note\n')
  await put('links.md', 'see [[old/name]]\n')
  await agentEdits('plan.md', 'one', 'ONE by agent')
  await put('plan.md', (await note('plan.md'))!.content.replace('three\n', 'three\nfrom a person\n'))
  await agentEdits('plan.md', 'two\n', 'two\nadded by agent\n')
  await tool('create_note', { path: 'new.md', content: 'made by agent\n' })
  await tool('create_note', { path: 'shared.md', content: 'made by agent\n' })
  await put('shared.md', 'made by agent\nand a person\n')
  await tool('delete_note', { path: 'doomed.md', permanent: false, baseline: (await note('doomed.md'))!.baseline })
  await tool('move_note', { from: 'old/name.md', to: 'moved.md' })
  const before = await onDisk('plan.md')

  const { result: shown } = await revert({ client: 'Archivist', since: BEGINNING })
  expect(shown!.notes.map(({ path, action, to }) => [path, action, to]).sort()).toEqual([
    ['doomed.md', 'bring_back', undefined],
    ['links.md', 'edit', undefined],
    ['moved.md', 'move_back', 'old/name.md'],
    ['new.md', 'trash', undefined],
    ['plan.md', 'edit', undefined],
  ])
  expect(shown!.left).toEqual([{ path: 'shared.md', reason: 'others have changed it since it was created' }])
  expect(shown!.notes.find(({ path }) => path === 'plan.md')!.diff).toMatch(/-ONE by agent\n\+one/)
  expect(await onDisk('plan.md')).toBe(before)

  const { result: other } = await revert({ client: 'Linter', since: BEGINNING })
  expect(other!.notes).toEqual([])
  expect((await revert({ client: 'Archivist', since: BEGINNING, dryRun: false, review: 'other' })).status).toBe(409)
  const { result: done } = await revert({ client: 'Archivist', since: BEGINNING, dryRun: false, review: shown!.review })
  expect(done!.notes).toHaveLength(5)
  for (const { path, action, to, baseline } of done!.notes)
    expect([path, baseline]).toEqual([path, action === 'trash' ? undefined : (await note(to ?? path))!.baseline])
  expect(shown!.notes.map(({ baseline }) => baseline)).toEqual(Array(5).fill(undefined))
  expect(await onDisk('plan.md')).toBe('# Plan\n\none\ntwo\nthree\nfrom a person\n')
  expect(await onDisk('doomed.md')).toBe('words that stay\n')
  expect(await onDisk('old/name.md')).toBe('a note\n')
  expect(await onDisk('links.md')).toBe('see [[old/name]]\n')
  expect([await note('new.md'), await note('moved.md')]).toEqual([undefined, undefined])
  expect(await onDisk('shared.md')).toBe('made by agent\nand a person\n')
  const audit = (await daemon.local(`${VAULT}/audit`)).body as { entries: { tool: string }[] }
  expect(audit.entries.filter(({ tool: name }) => name === 'revert').length).toBeGreaterThanOrEqual(4)
})

test('a deleted note that is back has left the trash, where deleting it for good would hide its history', async () => {
  verifies('revert.reviewed')
  const inTrash = async () =>
    TrashList.parse((await daemon.local(`${VAULT}/trash`)).body).entries.map(({ path }) => path)
  const revisions = async (path: string) =>
    HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}`)).body).revisions ?? []
  const remove = async (path: string) =>
    tool('delete_note', { path, permanent: false, baseline: (await note(path))!.baseline })
  for (const path of ['back.md', 'edited.md', 'restored.md']) await put(path, 'first words\n')
  await agentEdits('edited.md', 'first', 'other')
  for (const path of ['back.md', 'edited.md', 'restored.md']) await remove(path)
  expect(await inTrash()).toEqual(expect.arrayContaining(['back.md', 'edited.md', 'restored.md']))

  const [, newest] = await revisions('restored.md')
  const restored = await daemon.local(`${VAULT}/history/restored.md/restore`, { json: { rev: newest!.rev } })
  expect(restored.status).toBe(201)
  for (const path of ['back.md', 'edited.md'])
    expect((await revert({ client: 'Archivist', since: BEGINNING, path, dryRun: false })).result!.notes).toMatchObject([
      { path, action: 'bring_back' },
    ])
  for (const path of ['back.md', 'edited.md', 'restored.md']) {
    expect(await onDisk(path)).toBe('first words\n')
    expect(await inTrash()).not.toContain(path)
    expect((await revisions(path)).length).toBeGreaterThan(2)
  }
})

test('a note that is back from a deleted folder has left the entry of the folder', async () => {
  verifies('revert.reviewed')
  const entryOf = async (path: string) =>
    TrashList.parse((await daemon.local(`${VAULT}/trash`)).body).entries.find((entry) => entry.path === path)!.id
  const revisions = async (path: string) =>
    HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}`)).body).revisions ?? []
  const names = ['restored', 'reverted', 'gone'].map((name) => `whole/deep/${name}.md`)
  const [restored, reverted, gone] = names as [string, string, string]
  for (const path of names) await put(path, `first words of ${path}\n`)
  expect((await daemon.local(`${VAULT}/folders/whole`, { method: 'DELETE' })).status).toBe(200)

  const id = await entryOf('whole')
  const [, newest] = await revisions(restored)
  expect((await daemon.local(`${VAULT}/history/${restored}/restore`, { json: { rev: newest!.rev } })).status).toBe(201)
  const { result } = await revert({ actor: 'local', since: BEGINNING, path: reverted, dryRun: false })
  expect(result!.notes).toMatchObject([{ path: reverted, action: 'bring_back' }])
  expect(await readdir(join(daemon.home, 'vaults/demo-vault/.svc/trash', id, 'content/deep'))).toEqual(['gone.md'])
  expect((await daemon.local(`${VAULT}/trash/${id}`, { method: 'DELETE' })).status).toBe(200)
  for (const path of [restored, reverted]) {
    expect(await onDisk(path)).toBe(`first words of ${path}\n`)
    expect((await revisions(path)).length).toBeGreaterThan(2)
  }
  expect(await revisions(gone)).toEqual([])
})

test('one note alone, and since a time', async () => {
  verifies('revert.reviewed')
  await put('a.md', 'a\n')
  await put('b.md', 'b\n')
  await agentEdits('a.md', 'a', 'agent a')
  await agentEdits('b.md', 'b', 'agent b')
  const { result } = await revert({ client: 'Archivist', since: BEGINNING, path: 'a.md', dryRun: false })
  expect(result!.notes.map(({ path }) => path)).toEqual(['a.md'])
  expect([await onDisk('a.md'), await onDisk('b.md')]).toEqual(['a\n', 'agent b\n'])
  const { result: late } = await revert({ client: 'Archivist', since: '2099-01-01T00:00:00Z' })
  expect(late!.notes).toEqual([])
})

test('one older change of an agent is taken back; its later ones stay, and those that overlap are named', async () => {
  verifies('revert.one-of-many')
  const revisionsOf = async (path: string) => {
    const { body } = await daemon.local(`${VAULT}/history/${path}`)
    return (body as { revisions: { rev: string }[] }).revisions.map(({ rev }) => rev)
  }
  // Requesting the history commits the change as a revision of its own.
  const editOnce = async (oldText: string, newText: string) => {
    await agentEdits('steps.md', oldText, newText)
    return (await revisionsOf('steps.md'))[0]!
  }
  await put('steps.md', 'one\n\ntwo\n\nthree\n')
  const start = (await revisionsOf('steps.md'))[0]!
  const first = await editOnce('one', 'ONE')
  const second = await editOnce('two', 'TWO')
  const third = await editOnce('three', 'THREE')
  expect(new Set([start, first, second, third]).size).toBe(4)

  const older = { client: 'Archivist', path: 'steps.md', since: first, until: second }
  const { result: shown } = await revert(older)
  expect(shown!.notes).toMatchObject([{ path: 'steps.md', action: 'edit', conflicts: [] }])
  const { result: done } = await revert({ ...older, dryRun: false, review: shown!.review })
  expect(done!.notes).toHaveLength(1)
  expect(await onDisk('steps.md')).toBe('ONE\n\ntwo\n\nTHREE\n')

  await agentEdits('steps.md', 'ONE', 'EINS')
  const { result: overlapping } = await revert({ client: 'Archivist', path: 'steps.md', since: start, until: first })
  expect(overlapping!.notes).toMatchObject([{ conflicts: [{ line: 1, now: 'EINS', before: 'one' }] }])
  expect((await revert({ ...older, until: start })).status).toBe(404)
  expect((await revert({ ...older, until: 'yesterday' })).status).toBe(400)
})

test('a member takes back only what they and their own agents did', async () => {
  verifies('revert.allowed')
  await put('c.md', 'c\n')
  await agentEdits('c.md', 'c', 'agent c')
  const wish = { client: 'Archivist', since: BEGINNING, path: 'c.md', dryRun: false }
  // This agent acts for a person whom the daemon does not know.
  const { result } = await revert(wish, member.call)
  expect(result!.notes).toEqual([])
  expect((await revert({ actor: admin.id, since: BEGINNING }, member.call)).status).toBe(403)
  expect((await revert({ actor: member.id, since: BEGINNING, path: 'c.md' }, member.call)).status).toBe(200)
  expect((await revert(wish, admin.call)).result!.notes).toHaveLength(1)
  expect(await onDisk('c.md')).toBe('c\n')
  expect((await revert({ client: 'Archivist', since: 'abcdef0' })).status).toBe(404)
  expect((await revert({ since: BEGINNING })).status).toBe(400)
  expect((await revert({ client: 'a', actor: 'b', since: BEGINNING })).status).toBe(400)
})

/** Who wrote each line of a note. */
const writers = async (path: string) =>
  AuthorsAnswer.parse((await daemon.local(`${VAULT}/authors/${path}`)).body).note.runs.flatMap(({ lines, author }) =>
    Array<string | undefined>(lines).fill(author?.kind === 'mcp_client' ? author.name : author?.id),
  )

test('lines that a revert restores keep their author', async () => {
  verifies('revert.keeps-authors', 'authors.model')
  const other = daemon.person('member')
  await put('who.md', 'one\ntwo\nthree\n')
  await other.call(`${VAULT}/notes/who.md`, {
    method: 'PUT',
    json: { content: 'one\ntwo\nthree\nfour\n' },
    headers: { 'if-match': '*' },
  })
  await agentEdits('who.md', 'one\ntwo\n', 'agent one\n')
  await agentEdits('who.md', 'four\n', 'agent four\n')
  await admin.call(`${VAULT}/notes/who.md`, {
    method: 'PUT',
    json: { content: `${(await note('who.md'))!.content}admin\n` },
    headers: { 'if-match': '*' },
  })
  const wish = { client: 'Archivist', since: BEGINNING, path: 'who.md', dryRun: false }
  expect((await revert(wish, admin.call)).result!.notes).toHaveLength(1)
  expect(await onDisk('who.md')).toBe('one\ntwo\nthree\nfour\nadmin\n')
  expect(await writers('who.md')).toEqual([member.id, member.id, member.id, other.id, admin.id])
})

test('a member takes back what an agent did for them, and not what it did for others', async () => {
  verifies('revert.allowed')
  const other = daemon.person('member')
  await put('mine.md', 'mine\n')
  await put('theirs.md', 'theirs\n')
  for (const [path, person] of [
    ['mine', member],
    ['theirs', other],
  ] as const) {
    const { baseline } = (await note(`${path}.md`))!
    const args = { vaultId: 'demo-vault', path: `${path}.md`, baseline, edits: [{ oldText: path, newText: 'agent' }] }
    const caller = { sub: person.id, name: 'A person', role: 'member' } as const
    expect((await daemon.agentCall({ tool: 'edit_note', arguments: args }, caller)).status).toBe(200)
  }
  expect([await onDisk('mine.md'), await onDisk('theirs.md')]).toEqual(['agent\n', 'agent\n'])
  const { result } = await revert({ client: 'Claude', since: BEGINNING, dryRun: false }, member.call)
  expect(result!.notes.map(({ path }) => path)).toEqual(['mine.md'])
  expect([await onDisk('mine.md'), await onDisk('theirs.md')]).toEqual(['mine\n', 'agent\n'])
  expect(await writers('mine.md')).toEqual([member.id])
})

test('an agent of one person is taken back without agents of the same name that acted for others or for nobody', async () => {
  verifies('revert.allowed')
  const other = daemon.person('member')
  const write = (path: string, { id }: RelayedPerson) =>
    daemon.agentCall(
      { tool: 'create_note', arguments: { vaultId: 'demo-vault', path, content: 'x\n' } },
      { sub: id, name: 'A person', role: 'member' },
    )
  const named = new Client({ name: 'Claude', version: '1' })
  await named.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
  expect((await write('claude/one.md', member)).status).toBe(200)
  expect((await write('claude/other.md', other)).status).toBe(200)
  await named.callTool({
    name: 'create_note',
    arguments: { vaultId: 'demo-vault', path: 'claude/nobody.md', content: 'x\n' },
  })
  await named.close()
  const planned = async (wish: object, by?: Caller) => {
    const { status, result } = await revert({ client: 'Claude', since: BEGINNING, ...wish }, by)
    return result?.notes.map(({ path }) => path).filter((path) => path.startsWith('claude/')) ?? status
  }
  expect(await planned({ person: member.id }, admin.call)).toEqual(['claude/one.md'])
  expect(await planned({ person: other.id })).toEqual(['claude/other.md'])
  expect(await planned({ person: null }, admin.call)).toEqual(['claude/nobody.md'])
  expect(await planned({ person: member.id }, member.call)).toEqual(['claude/one.md'])
  expect(await planned({}, admin.call)).toHaveLength(3)
  // A member is told that these are not theirs to undo, not that nothing is left.
  expect(await planned({ person: other.id }, member.call)).toBe(403)
  expect(await planned({ person: null }, member.call)).toBe(403)
  expect(await planned({ client: undefined, actor: member.id, person: member.id }, admin.call)).toBe(400)
})

test('an agent takes back its own changes, after it was shown them', async () => {
  verifies('revert.by-agent', 'revert.keeps-people', 'mcp.tools')
  const reviser = new Client({ name: 'Reviser', version: '1' })
  await reviser.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
  const call = async (name: string, args: object) => {
    const wish = { vaultId: 'demo-vault', ...args }
    return (await reviser.callTool({ name, arguments: wish })).structuredContent as Record<string, unknown>
  }
  const ask = (args: object) => call('revert_changes', { since: BEGINNING, ...args })
  await put('own.md', 'one\ntwo\n')
  const { baseline } = (await note('own.md'))!
  await call('edit_note', { path: 'own.md', baseline, edits: [{ oldText: 'one', newText: 'agent one' }] })
  await put('own.md', 'agent one\ntwo\nby a person\n')
  await call('create_note', { path: 'made.md', content: 'by the agent\n' })
  await tool('create_note', { path: 'others.md', content: 'by another agent\n' })

  const shown = await ask({})
  expect(shown).toMatchObject({ done: false, conflicts: [], left: [], truncated: false })
  const actions = (shown['notes'] as { path: string; action: string }[]).map(({ path, action }) => [path, action])
  expect(actions.toSorted()).toEqual([
    ['made.md', 'trash'],
    ['own.md', 'edit'],
  ])
  expect(await onDisk('own.md')).toBe('agent one\ntwo\nby a person\n')
  expect(await ask({ review: 'another' })).toMatchObject({ code: 'stale_doc' })
  expect(await ask({ since: 'yesterday' })).toMatchObject({ code: 'invalid_request', problems: [{ path: 'since' }] })

  const done = await ask({ review: shown['review'] })
  expect(done).toMatchObject({ done: true, review: shown['review'], notes: [{}, {}] })
  expect(done['notes']).toContainEqual({ path: 'own.md', action: 'edit', baseline: (await note('own.md'))!.baseline })
  expect(done['notes']).toContainEqual({ path: 'made.md', action: 'trash' })
  expect(JSON.stringify(done)).not.toContain('diff')
  expect(await onDisk('own.md')).toBe('one\ntwo\nby a person\n')
  expect([await note('made.md'), (await note('others.md'))?.content]).toEqual([undefined, 'by another agent\n'])
  const empty = await ask({})
  expect(empty).toMatchObject({ done: false, notes: [] })
  const newest = async () => {
    const { entries } = (await daemon.local(`${VAULT}/audit`)).body as { entries: object[] }
    return entries[0]
  }
  const before = await newest()
  expect(before).toMatchObject({ tool: 'revert', path: expect.stringMatching(/^(own|made)\.md$/) as string })
  // A revert of nothing is recorded too: the agent was told that it is done.
  expect(await ask({ review: empty['review'] })).toMatchObject({ done: true, notes: [] })
  expect(await newest()).toMatchObject({ tool: 'revert', client: 'Reviser', path: '', outcome: 'done' })
  await reviser.close()
})

test('an agent of the control plane takes back what it did for its person, and nothing of other agents or people', async () => {
  verifies('revert.by-agent', 'revert.allowed')
  const mine = { sub: member.id, name: 'Ben', role: 'member' } as const
  const others = { sub: daemon.person('member').id, name: 'Eve', role: 'member' } as const
  const write = (path: string, caller: AgentCaller) =>
    daemon.agentCall({ tool: 'create_note', arguments: { vaultId: 'demo-vault', path, content: 'x\n' } }, caller)
  expect((await write('for-ben.md', mine)).status).toBe(200)
  expect((await write('for-eve.md', others)).status).toBe(200)
  const ask = async (args: object, caller: AgentCaller) => {
    const wish = { vaultId: 'demo-vault', since: BEGINNING, path: 'for-ben.md', ...args }
    return daemon.agentCall({ tool: 'revert_changes', arguments: wish }, caller)
  }
  const shownTo = async (caller: AgentCaller) =>
    AgentCallAnswer.parse((await ask({}, caller)).body).result as { review: string; notes: { path: string }[] }

  expect((await shownTo(others)).notes).toEqual([])
  expect((await ask({}, { ...mine, scopes: ['read'] })).status).toBe(403)
  const { review, notes } = await shownTo(mine)
  expect(notes).toEqual([expect.objectContaining({ path: 'for-ben.md', action: 'trash' })])
  expect((await ask({ review }, others)).status).toBe(409)
  expect((await ask({ review }, mine)).status).toBe(200)
  expect([await note('for-ben.md'), (await note('for-eve.md'))?.content]).toEqual([undefined, 'x\n'])
})
