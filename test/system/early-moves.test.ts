import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// What an agent moves in a vault whose notes are not in the history yet.

const notes: Record<string, string> = {
  'plan.md': 'see [[draft]]\n',
  'draft.md': 'the draft\n',
  'self.md': 'this is [[self]]\n',
  'folder/a.md': 'see [[folder/b]]\n',
  'folder/b.md': 'nothing\n',
}

let programs: string
let daemon: Svcd
beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), 'svc-programs-'))
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  const waiting = `#!/bin/sh\nwhile [ ! -e ${programs}/moved ]; do sleep 0.1; done\nexec ${git} "$@"\n`
  await writeFile(join(programs, 'git'), waiting, { mode: 0o755 })
  const home = await newHome()
  for (const [path, text] of Object.entries({ ...notes, 'other.md': 'other\n' })) {
    await mkdir(dirname(join(home, 'vaults/v', path)), { recursive: true })
    await writeFile(join(home, 'vaults/v', path), text)
  }
  daemon = await startSvcd({ home, env: { PATH: `${programs}:${process.env['PATH']}` } })
})
afterEach(async () => {
  await daemon.remove()
  await removeFolder(programs)
})

const onDisk = (path: string) => readFile(daemon.file('v', path), 'utf8')
const history = async (path: string, query = '') =>
  HistoryAnswer.parse((await call(daemon, `/api/vaults/v/history/${path}${query}`)).body)
async function revisionsOf(path: string) {
  const told: unknown[] = []
  for (const { rev, path: then, author } of (await history(path)).revisions ?? [])
    told.push([then, author.kind, (await history(path, `?rev=${rev}`)).content])
  return told
}

test('moves before the first import leave the notes as they were found in the history, and are reverted', async () => {
  verifies('history.found-first', 'links.move', 'revert.dependent-moves')
  const agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  const move = async (from: string, to: string) => {
    const result = await agent.callTool({ name: 'move_note', arguments: { vaultId: 'v', from, to } })
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
  }
  await move('draft.md', 'final.md')
  await move('self.md', 'me.md')
  await move('folder', 'moved')
  await writeFile(join(programs, 'moved'), '')
  await agent.close()

  await until('the first import is there', async () => (await history('other.md')).revisions?.length === 1)
  expect(await revisionsOf('plan.md')).toEqual([
    ['plan.md', 'mcp_client', 'see [[final]]\n'],
    ['plan.md', 'outside', 'see [[draft]]\n'],
  ])
  expect(await revisionsOf('final.md')).toEqual([
    ['final.md', 'mcp_client', 'the draft\n'],
    ['draft.md', 'outside', 'the draft\n'],
  ])
  expect(await revisionsOf('me.md')).toEqual([
    ['me.md', 'mcp_client', 'this is [[me]]\n'],
    ['self.md', 'outside', notes['self.md']],
  ])
  expect(await revisionsOf('moved/a.md')).toEqual([
    ['moved/a.md', 'mcp_client', 'see [[moved/b]]\n'],
    ['folder/a.md', 'outside', notes['folder/a.md']],
  ])

  const wish = { client: 'Archivist', since: '2000-01-01T00:00:00Z', dryRun: false }
  const { status, body } = await call(daemon, '/api/vaults/v/revert', { json: wish })
  expect(status).toBe(200)
  const result = RevertResult.parse(body)
  expect([result.left, result.notes.filter(({ action }) => action === 'trash')]).toEqual([[], []])
  for (const [path, text] of Object.entries(notes)) expect([path, await onDisk(path)]).toEqual([path, text])
})
