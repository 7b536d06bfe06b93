import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'

const VAULT = '/api/vaults/demo-vault'
const RUNS = 12
const PATHS = ['a.md', 'b.md', 'c.md', 'x/a.md', 'x/b.md', 'y/a.md']
const FOLDERS = ['x', 'y', 'z']

type Who = 'agent' | 'person'
type Step =
  | { kind: 'create' | 'edit' | 'delete' | 'attach'; who: Who; path: string }
  | { kind: 'move' | 'moveFolder'; who: Who; path: string; to: string }

/** The history of a note. Its words are lines of their own; the first word names the note. */
type Note = {
  name: string
  maker: Who
  path: string
  words: { word: string; who: Who }[]
  moves: { from: string; who: Who }[]
  deletedBy: Who | undefined
}

const who = fc.constantFrom<Who>('agent', 'agent', 'person')
const path = fc.constantFrom(...PATHS)
const folder = fc.constantFrom(...FOLDERS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('create' as const), who, path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('edit' as const), who, path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const), who, path }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('move' as const), who, path, to: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('attach' as const), who, path: folder }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('moveFolder' as const), who, path: folder, to: folder }) },
)

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let person: RelayedPerson
let runs = 0
beforeAll(async () => {
  daemon = await startRelayedDaemon()
  person = daemon.person('member')
})
afterAll(() => daemon.close())

type Answer = { status: number; text: string; body: unknown }
const ok = ({ status, text, body }: Answer, what: string) => {
  expect([200, 201], `${what}: ${status} ${text}`).toContain(status)
  return body
}
const noteAt = async (at: string) => {
  const answer = await daemon.local(`${VAULT}/notes/${at}`)
  if (answer.status === 404) return undefined
  return (ok(answer, at) as { note: { content: string; baseline: string } }).note
}

/** An attachment, which moves along with its folder. */
type Picture = { name: string; maker: Who; path: string; moves: Note['moves'] }
const PICTURES = ['x/p.png', 'y/p.png']

/** Executes the steps of people and agents on the vault, below `top`, and records them. */
async function play(
  steps: readonly Step[],
  top: string,
  agent: Client,
): Promise<{ notes: Note[]; pictures: Picture[] }> {
  const notes: Note[] = []
  const alive = () => notes.filter(({ deletedBy }) => deletedBy === undefined)
  const find = (at: string) => alive().find((note) => note.path === at)
  const tool = async (name: string, args: object) => {
    const result = await agent.callTool({ name, arguments: { vaultId: 'demo-vault', ...args } })
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
  }
  const put = async (at: string, content: string, baseline?: string) => {
    const headers: Record<string, string> = baseline === undefined ? {} : { 'if-match': `"${baseline}"` }
    ok(await person.call(`${VAULT}/notes/${at}`, { method: 'PUT', json: { content }, headers }), `put ${at}`)
  }
  const create = async (by: Who, at: string) => {
    const name = `note${notes.length}of${top}`
    notes.push({ name, maker: by, path: at, words: [{ word: name, who: by }], moves: [], deletedBy: undefined })
    if (by === 'agent') await tool('create_note', { path: `${top}/${at}`, content: `${name}\n` })
    else await put(`${top}/${at}`, `${name}\n`)
  }
  const move = async (by: Who, from: string, to: string) => {
    const names = { from: `${top}/${from}`, to: `${top}/${to}` }
    if (by === 'agent') await tool('move_note', names)
    else ok(await person.call(`${VAULT}/move`, { json: { ...names, dryRun: false } }), 'move')
  }

  for (const at of PATHS.slice(0, 4)) await create('person', at)
  const pictures = PICTURES.map((at): Picture => ({
    name: `picture ${at} of ${top}`,
    maker: 'person',
    path: at,
    moves: [],
  }))
  const attach = async ({ maker, name, path: at }: Picture) => {
    if (maker === 'agent')
      return tool('write_attachment', { path: `${top}/${at}`, data: Buffer.from(name).toString('base64') })
    const url = `${daemon.urls.local}${VAULT}/attachments/${top}/${at}`
    expect((await fetch(url, { method: 'PUT', body: name })).status).toBe(201)
  }
  for (const picture of pictures) await attach(picture)
  let words = 0
  for (const one of steps) {
    const note = find(one.path)
    if (one.kind === 'create' && !note) await create(one.who, one.path)
    if (one.kind === 'move' && note && !find(one.to) && one.to !== one.path) {
      await move(one.who, one.path, one.to)
      note.moves.push({ from: one.path, who: one.who })
      note.path = one.to
    }
    if (one.kind === 'moveFolder') {
      const inside = (at: string) => alive().filter((each) => each.path.startsWith(`${at}/`))
      if (inside(one.path).length === 0 || one.to === one.path || (await isThere(`${top}/${one.to}`))) continue
      const moving = [...inside(one.path), ...pictures.filter((each) => each.path.startsWith(`${one.path}/`))]
      await move(one.who, one.path, one.to)
      for (const each of moving) {
        each.moves.push({ from: each.path, who: one.who })
        each.path = one.to + each.path.slice(one.path.length)
      }
    }
    if (one.kind === 'attach' && pictures.every((each) => each.path !== `${one.path}/q.png`)) {
      const picture: Picture = {
        name: `picture ${pictures.length} of ${top}`,
        maker: one.who,
        path: `${one.path}/q.png`,
        moves: [],
      }
      pictures.push(picture)
      await attach(picture)
    }
    if (one.kind === 'edit' && note) {
      const word = `word${words++}of${top}`
      const now = (await noteAt(`${top}/${one.path}`))!
      const content = `${now.content}\n${word} by ${one.who}\n`
      if (one.who === 'person') await put(`${top}/${one.path}`, content, now.baseline)
      else {
        const edits = [{ oldText: now.content, newText: content }]
        await tool('edit_note', { path: `${top}/${one.path}`, baseline: now.baseline, edits })
      }
      note.words.push({ word, who: one.who })
    }
    if (one.kind === 'delete' && note) {
      const { baseline } = (await noteAt(`${top}/${one.path}`))!
      const at = `${top}/${one.path}`
      if (one.who === 'agent') await tool('delete_note', { path: at, permanent: false, baseline })
      else {
        const headers = { 'if-match': `"${baseline}"` }
        ok(await person.call(`${VAULT}/notes/${at}`, { method: 'DELETE', headers }), `delete ${at}`)
      }
      note.deletedBy = one.who
    }
  }
  return { notes, pictures }
}

const isThere = async (at: string) => (await daemon.local(`${VAULT}/tree?path=${at}`)).status === 200

/** The path of a note after the last moves of the agent are undone. */
function wantedPath({ path: at, moves }: Pick<Note, 'path' | 'moves'>): string {
  const last = moves.findLastIndex((move) => move.who !== 'agent')
  return moves[last + 1]?.from ?? at
}

async function check(
  notes: readonly Note[],
  top: string,
  { left, notes: changed }: z.infer<typeof RevertResult>,
): Promise<void> {
  const texts = new Map<string, string>()
  for (const at of [...PATHS, ...FOLDERS.flatMap((one) => [`${one}/a.md`, `${one}/b.md`])]) {
    const note = await noteAt(`${top}/${at}`)
    if (note) texts.set(at, note.content)
  }
  const placesOf = (word: string) =>
    [...texts].filter(([, text]) => new RegExp(`^${word}\\b`, 'm').test(text)).map(([at]) => at)
  const isTold = (at: string) => left.some((one) => one.path === `${top}/${at}`)
  const inConflict = new Set(changed.filter(({ conflicts }) => conflicts.length > 0).map((one) => one.path))

  for (const note of notes) {
    const places = placesOf(note.name)
    const now = JSON.stringify({ note, left, changed, texts: [...texts] }, null, 1)
    const byOthers = note.words.some((one) => one.who === 'person') || note.moves.some((one) => one.who === 'person')
    if (note.deletedBy === 'person' || (note.maker === 'agent' && (note.deletedBy || !byOthers))) {
      expect(places, now).toEqual([])
      continue
    }
    if (note.deletedBy === 'agent' && places.length === 0) {
      // Another note has its path, and the result names this.
      expect(isTold(note.path) && texts.has(note.path), now).toBe(true)
      continue
    }
    expect(places, now).toHaveLength(1)
    const [at] = places
    const text = texts.get(at!)!
    for (const { word, who: by } of note.words) {
      const isIn = text.includes(word)
      if (by === 'person') expect(isIn, `${word}: ${now}`).toBe(true)
      else if (note.maker === 'person' && !inConflict.has(`${top}/${note.path}`))
        expect(isIn, `${word}: ${now}`).toBe(false)
    }
    if (note.maker === 'agent') {
      expect(isTold(note.path), now).toBe(true)
      continue
    }
    const wanted = wantedPath(note)
    if (at === wanted) continue
    expect(at, now).toBe(note.path)
    // A deleted note that cannot come back at its old path comes back at the path where it was deleted.
    expect((isTold(at!) || note.deletedBy === 'agent') && texts.has(wanted), now).toBe(true)
  }
}

/**
 * Every attachment is back where it was before the last moves of the agent, or the result names it. An attachment that
 * the agent created is gone, unless people have moved it.
 */
async function checkPictures(pictures: readonly Picture[], top: string, { left }: z.infer<typeof RevertResult>) {
  const contents = new Map<string, string>()
  for (const at of FOLDERS.flatMap((folder) => [`${folder}/p.png`, `${folder}/q.png`])) {
    const answer = await fetch(`${daemon.urls.local}${VAULT}/attachments/${top}/${at}`)
    if (answer.status === 200) contents.set(at, await answer.text())
  }
  for (const picture of pictures) {
    const places = [...contents].filter(([, text]) => text === picture.name).map(([at]) => at)
    const now = JSON.stringify({ picture, left, contents: [...contents] }, null, 1)
    const isKept = picture.maker === 'person' || picture.moves.some((move) => move.who === 'person')
    expect(places, now).toHaveLength(isKept ? 1 : 0)
    if (!isKept || (picture.maker === 'person' && places[0] === wantedPath(picture))) continue
    expect(places[0], now).toBe(picture.path)
    expect(
      left.some((one) => one.path === `${top}/${picture.path}`),
      now,
    ).toBe(true)
  }
}

test('whatever people and an agent did in turn, a revert loses no word of people and tells what it leaves', async () => {
  verifies('revert.keeps-people', 'revert.reviewed', 'revert.dependent-moves', 'revert.folders', 'revert.attachments')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const top = `run${runs++}`
      const agent = new Client({ name: `Agent of ${top}`, version: '1' })
      await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
      const { notes, pictures } = await play(steps, top, agent)
      await agent.close()
      const wish = { client: `Agent of ${top}`, since: '2000-01-01T00:00:00Z' }
      const shown = RevertResult.parse(ok(await daemon.local(`${VAULT}/revert`, { json: wish }), 'plan'))
      const json = { ...wish, dryRun: false, review: shown.review }
      const done = RevertResult.parse(ok(await daemon.local(`${VAULT}/revert`, { json }), 'revert'))
      // Only the notes of a revert that is done have a baseline.
      expect(done.notes.map((note) => ({ ...note, baseline: undefined }))).toEqual(shown.notes)
      await check(notes, top, done)
      await checkPictures(pictures, top, done)
    }),
    { numRuns: RUNS },
  )
})
