import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { verifies } from '../requirements.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { liveClient } from '../support/live-client.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'

const VAULT = '/api/vaults/demo-vault'
const NOTE = `${VAULT}/notes/shared.md`
const PARAGRAPHS = 40
const HUMAN_EDITS = 200
const AGENT_EDITS = 50

test('a run of an agent among 200 edits of a person is taken back, and every word of the person stays', async () => {
  verifies('revert.keeps-people')
  const daemon = await startRelayedDaemon()
  try {
    const random = seededRandom(7)
    const person = daemon.person('member')
    const read = async () => (await daemon.local(NOTE)).body as { note: { content: string; baseline: string } }
    const ok = ({ status, text }: { status: number; text: string }) => expect([200, 201], text).toContain(status)
    const edit = async (oldText: string, newText: string) => ({
      baseline: (await read()).note.baseline,
      edits: [{ oldText, newText }],
    })
    const start = Array.from({ length: PARAGRAPHS }, (_, at) => `(p${at}) begins here.\n`).join('\n')
    ok(await person.call(NOTE, { method: 'PUT', json: { content: start }, headers: { 'if-none-match': '*' } }))

    let agentWords = 0
    for (let words = 0; words < HUMAN_EDITS;) {
      const head = `(p${random.below(PARAGRAPHS)})`
      if (agentWords < AGENT_EDITS && random.below(4) === 0) {
        // The agent writes a line of its own, or into the middle of what people wrote.
        const word = `<agent-${agentWords++}>`
        const added = random.below(2) === 0 ? `${word}\n\n${head}` : `${head} ${word}`
        const args = { vaultId: 'demo-vault', path: 'shared.md', ...(await edit(head, added)) }
        ok(
          await daemon.agentCall(
            { tool: 'edit_note', arguments: args },
            { sub: person.id, name: 'Ada', role: 'member' },
          ),
        )
      } else ok(await person.call(NOTE, { method: 'PATCH', json: await edit(head, `${head} <human-${words++}>`) }))
    }
    const wordsOf = (text: string, kind: 'human' | 'agent') => text.match(new RegExp(`<${kind}-\\d+>`, 'g')) ?? []
    const before = (await read()).note.content
    expect(wordsOf(before, 'human')).toHaveLength(HUMAN_EDITS)
    expect(wordsOf(before, 'agent')).toHaveLength(agentWords)

    const wish = { client: 'Claude', since: '2000-01-01T00:00:00Z' }
    const ask = async (more: object) => {
      const answer = await daemon.local(`${VAULT}/revert`, { json: { ...wish, ...more } })
      ok(answer)
      return RevertResult.parse(answer.body)
    }
    const shown = await ask({})
    await ask({ dryRun: false, review: shown.review })

    const after = (await read()).note.content
    expect(wordsOf(after, 'human')).toEqual(wordsOf(before, 'human'))
    const told = shown.notes.flatMap(({ conflicts }) => conflicts.map(({ now }) => now)).join('\n')
    const stayed = wordsOf(after, 'agent')
    expect(stayed.filter((word) => !told.includes(word))).toEqual([])
    expect(agentWords - stayed.length).toBeGreaterThan(AGENT_EDITS / 4)
  } finally {
    await daemon.close()
  }
})

/** A daemon in which an agent moves and deletes notes of a person. */
async function startSharedVault() {
  const daemon = await startRelayedDaemon()
  onTestFinished(() => daemon.close())
  const person = daemon.person('member')
  const get = async (path: string): Promise<unknown> => (await daemon.local(`${VAULT}${path}`)).body
  const ok = ({ status, text }: { status: number; text: string }) => expect([200, 201], text).toContain(status)
  const agent = async (tool: string, args: object) =>
    ok(
      await daemon.agentCall(
        { tool, arguments: { vaultId: 'demo-vault', ...args } },
        { sub: person.id, name: 'Ada', role: 'member' },
      ),
    )
  return {
    daemon,
    person,
    put: async (path: string, content: string) =>
      ok(await person.call(`${VAULT}/notes/${path}`, { method: 'PUT', json: { content } })),
    move: (from: string, to: string) => agent('move_note', { from, to }),
    async trash(path: string) {
      const { note } = (await get(`/notes/${path}`)) as { note: { baseline: string } }
      await agent('delete_note', { path, permanent: false, baseline: note.baseline })
    },
    async revert() {
      const json = { client: 'Claude', since: '2000-01-01T00:00:00Z' }
      const plan = RevertResult.parse((await daemon.local(`${VAULT}/revert`, { json })).body)
      const answer = await daemon.local(`${VAULT}/revert`, { json: { ...json, dryRun: false, review: plan.review } })
      ok(answer)
      return RevertResult.parse(answer.body)
    },
    onDisk: (path: string) => readFile(join(daemon.home, 'vaults/demo-vault', path), 'utf8'),
    async known() {
      const { tree } = (await get('/tree')) as { tree: { path: string }[] }
      return tree.map(({ path }) => path).filter((path) => /^[a-z]\.md$/.test(path))
    },
    async textOf(path: string) {
      return ((await get(`/notes/${path}`)) as { note: { content: string } }).note.content
    },
    async revisionsOf(path: string) {
      const { revisions } = (await get(`/history/${path}`)) as { revisions: { path: string; actor: { id?: string } }[] }
      return revisions
    },
  }
}

test('a note that comes back leaves alone the note of a person that has its last path now', async () => {
  verifies('revert.keeps-people')
  const vault = await startSharedVault()
  await vault.put('a.md', 'old\n')
  await vault.move('a.md', 'b.md')
  await vault.trash('b.md')
  await vault.put('b.md', 'by a person\n')
  const before = await vault.revisionsOf('b.md')
  const headers = await vault.person.headers()
  const live = liveClient({ url: () => vault.daemon.urls.relayed, path: 'b.md', headers })
  onTestFinished(() => live.close())
  await live.reaches('durable')

  await vault.revert()
  live.type('typed\n')
  await live.shows((text) => text.includes('typed'))
  await live.reaches('durable')
  expect(live.shown()).toBe('by a person\ntyped\n')
  expect(await Promise.all(['a.md', 'b.md'].map(vault.onDisk))).toEqual(['old\n', 'by a person\ntyped\n'])
  expect(await vault.known()).toEqual(['a.md', 'b.md'])
  expect(await Promise.all(['a.md', 'b.md'].map(vault.textOf))).toEqual(['old\n', 'by a person\ntyped\n'])
  expect((await vault.revisionsOf('b.md')).slice(1)).toEqual(before)
})

test('a note that moves back keeps its history where another one was deleted at the path that it leaves', async () => {
  verifies('revert.folders')
  const vault = await startSharedVault()
  await vault.put('a.md', 'a\n')
  await vault.put('c.md', 'c\n')
  await vault.move('a.md', 'b.md')
  await vault.trash('b.md')
  await vault.move('c.md', 'b.md')
  const before = await vault.revisionsOf('b.md')

  await vault.revert()
  expect(await Promise.all(['a.md', 'c.md'].map(vault.onDisk))).toEqual(['a\n', 'c\n'])
  expect(await vault.known()).toEqual(['a.md', 'c.md'])
  const after = await vault.revisionsOf('c.md')
  expect(after.slice(1)).toEqual(before)
})

test('two notes that were deleted at one path both come back', async () => {
  verifies('revert.folders')
  const vault = await startSharedVault()
  await vault.put('a.md', 'a\n')
  await vault.put('c.md', 'c\n')
  for (const path of ['a.md', 'c.md']) {
    await vault.move(path, 'b.md')
    await vault.trash('b.md')
  }
  await vault.revert()
  expect(await vault.known()).toEqual(['a.md', 'c.md'])
  expect(await Promise.all(['a.md', 'c.md'].map(vault.onDisk))).toEqual(['a\n', 'c\n'])
  expect(await Promise.all(['a.md', 'c.md'].map(vault.textOf))).toEqual(['a\n', 'c\n'])
})
