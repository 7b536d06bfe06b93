import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { AuthorsAnswer, HistoryAnswer, type LineRun } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'

type Line = { words: string; by: string }

const VAULT = '/api/vaults/demo-vault'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let people: RelayedPerson[]
const agents: { name: string; client: Client }[] = []

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  people = [daemon.person('member'), daemon.person('admin'), daemon.person('member')]
  for (const name of ['Archivist', 'Linter']) {
    const client = new Client({ name, version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
    agents.push({ name, client })
  }
})
afterAll(async () => {
  for (const { client } of agents) await client.close()
  await daemon.close()
})

const textOf = (lines: readonly Line[]) => lines.map(({ words }) => `${words}\n`).join('')
const nameOf = ({ author }: z.infer<typeof LineRun>) =>
  author?.kind === 'mcp_client' ? author.name : (author?.id ?? 'unknown')

async function authors(path: string, query = '') {
  const { body } = await daemon.local(`${VAULT}/authors/${path}${query}`)
  return AuthorsAnswer.parse(body).note
}
async function told(path: string): Promise<Line[]> {
  const [{ runs }, text] = [await authors(path), await content(path)]
  const names = runs.flatMap((run) => Array<string>(run.lines).fill(nameOf(run)))
  return text
    .split('\n')
    .slice(0, -1)
    .map((words, at) => ({ words, by: names[at] ?? 'none' }))
}
const content = async (path: string) =>
  ((await daemon.local(`${VAULT}/notes/${path}`)).body as { note: { content: string } }).note.content
const baseline = async (path: string) =>
  ((await daemon.local(`${VAULT}/notes/${path}`)).body as { note: { baseline: string } }).note.baseline

async function write(path: string, by: number, text: string): Promise<string> {
  const agent = agents[by - people.length]
  const old = await baseline(path)
  if (!agent) {
    const options = { method: 'PUT', json: { content: text }, headers: { 'if-match': `"${old}"` } }
    expect((await people[by]!.call(`${VAULT}/notes/${path}`, options)).status).toBe(200)
    return people[by]!.id
  }
  const edits = [{ oldText: await content(path), newText: text }]
  const result = await agent.client.callTool({
    name: 'edit_note',
    arguments: { vaultId: 'demo-vault', path, baseline: old, edits },
  })
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
  return agent.name
}

const random = (seed: number) => (below: number) => {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return Math.floor((seed / 2147483648) * below)
}

test('every line has its author after edits by people and agents, moves, restores and outside edits', async () => {
  verifies('authors.model')
  const below = random(7)
  let path = 'who.md'
  let lines: Line[] = [{ words: 'begin', by: people[0]!.id }]
  const created = await people[0]!.call(`${VAULT}/notes/${path}`, { method: 'PUT', json: { content: textOf(lines) } })
  expect(created.status).toBe(201)
  const states = new Map<string, Line[]>([[textOf(lines), lines]])

  for (let step = 0; step < 40; step++) {
    const kind = below(10)
    if (kind === 0) {
      const to = `moved-${step}.md`
      const options = { json: { from: path, to } }
      expect((await people[below(3)]!.call(`${VAULT}/move`, options)).status).toBe(200)
      path = to
    } else if (kind === 1) {
      const { revisions = [] } = HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}?limit=200`)).body)
      const { rev } = revisions[below(revisions.length)]!
      const old = HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}?rev=${rev}`)).body).content!
      const options = { json: { rev, baseline: await baseline(path) } }
      expect((await daemon.local(`${VAULT}/history/${path}/restore`, options)).status).toBe(200)
      lines = states.get(old)!
    } else if (kind === 2 && step % 2 === 0) {
      lines = [...lines, { words: `outside ${step}`, by: 'outside' }]
      await writeFile(join(daemon.home, 'vaults/demo-vault', path), textOf(lines))
    } else {
      const by = below(5)
      const name = agents[by - 3]?.name ?? people[by]!.id
      const at = below(lines.length + 1)
      const fresh = Array.from({ length: 1 + below(2) }, (_, index) => ({ words: `line ${step}.${index}`, by: name }))
      lines = lines.toSpliced(at, below(2), ...fresh)
      await write(path, by, textOf(lines))
    }
    states.set(textOf(lines), lines)
    if (step % 5 === 0) expect(await told(path), `step ${step}`).toEqual(lines)
  }
  expect(await told(path)).toEqual(lines)

  const entry = await daemon.local(`${VAULT}/notes/${path}`, {
    method: 'DELETE',
    headers: { 'if-match': `"${await baseline(path)}"` },
  })
  expect(entry.status).toBe(200)
  const { entries } = (await daemon.local(`${VAULT}/trash`)).body as { entries: { id: string; path: string }[] }
  const { id } = entries.find((one) => one.path === path)!
  expect((await daemon.local(`${VAULT}/trash/${id}/restore`, { json: {} })).status).toBe(200)
  expect(await told(path)).toEqual(lines)
})

test('two people in one open note each have their lines, before and after it is saved', async () => {
  verifies('authors.live', 'authors.now')
  await people[0]!.call(`${VAULT}/notes/open.md`, { method: 'PUT', json: { content: 'one\ntwo\nthree\n' } })
  const [ada, bo] = await Promise.all(
    people.slice(1).map(async (person) => {
      const client = liveClient({ url: () => daemon.urls.relayed, path: 'open.md', headers: await person.headers() })
      await client.reaches('durable', 'saved')
      return client
    }),
  )
  try {
    const before = new Date().toISOString()
    ada!.type('from ada\n', 4)
    await bo!.shows((text) => text.includes('ada'))
    bo!.type('from bo\n')
    await ada!.shows((text) => text.includes('bo'))
    const expected = [
      { words: 'one', by: people[0]!.id },
      { words: 'from ada', by: people[1]!.id },
      { words: 'two', by: people[0]!.id },
      { words: 'three', by: people[0]!.id },
      { words: 'from bo', by: people[2]!.id },
    ]
    await until('both are known', async () => (await told('open.md')).length === 5)
    expect(await told('open.md')).toEqual(expected)
    await Promise.all([ada!.reaches('durable'), bo!.reaches('durable')])
    expect(await told('open.md')).toEqual(expected)
    const { revisions = [] } = HistoryAnswer.parse((await daemon.local(`${VAULT}/history/open.md`)).body)
    expect(revisions.length).toBeGreaterThan(1)
    expect(await told('open.md')).toEqual(expected)

    const { runs } = await authors('open.md', `?since=${before}`)
    expect(runs.map(({ line }) => line)).toEqual([2, 5])
  } finally {
    ada!.close()
    bo!.close()
  }
})

test('a deleted note has no authors, and one that was deleted for good reveals them to nobody', async () => {
  verifies('authors.now')
  expect((await daemon.local(`${VAULT}/authors/never.md`)).status).toBe(404)
  await people[1]!.call(`${VAULT}/notes/gone.md`, { method: 'PUT', json: { content: 'secret\n' } })
  await daemon.local(`${VAULT}/notes/gone.md?permanent=true`, { method: 'DELETE', headers: { 'if-match': '*' } })
  await people[2]!.call(`${VAULT}/notes/gone.md`, { method: 'PUT', json: { content: 'secret\n' } })
  expect(await told('gone.md')).toEqual([{ words: 'secret', by: people[2]!.id }])
})
