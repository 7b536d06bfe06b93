import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SearchResult, Tree, VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { call, newHome, startSvcd } from './svcd.ts'
import type { LongTurn } from './turn-cpu.ts'
import { until } from './until.ts'

const preload = new URL('./turn-cpu.ts', import.meta.url).href
const FOLDER_NOTES = 100
const FOLDER = '/api/vaults/v/folders/moved'
const PATIENCE = { withinMs: 1_800_000, everyMs: 300 }

/** The longest turn of the event loop, in milliseconds of CPU, during each change. */
export type LongestTurns = Record<string, number>

/**
 * Creates, rewrites, removes, restores, lists, moves and deletes all notes of a vault at once, one change after
 * another, while a daemon runs. At the end, all notes are in one folder.
 */
export async function massChanges(notes: number): Promise<LongestTurns> {
  const home = await newHome()
  const root = join(home, 'vaults/v')
  let round = 0
  const contentOf = (number: number) => `# Note ${number}\n\n${`round${round} word${number % 977} `.repeat(60)}\n`
  const inFolders = (number: number) => join(root, 'all', String(Math.floor(number / FOLDER_NOTES)))
  const inOne = () => join(root, 'all/one')
  const writeAll = async (folderOf = inFolders) => {
    round++
    for (let number = 0; number < notes; number++) {
      const folder = folderOf(number)
      if (number % FOLDER_NOTES === 0) await mkdir(folder, { recursive: true })
      await writeFile(join(folder, `${number}.md`), contentOf(number))
    }
  }
  await writeAll()
  const daemon = await startSvcd({ home, env: { NODE_OPTIONS: `--import=${preload}` } })
  const turns: LongestTurns = {}
  let current = 'opened'
  daemon.process.on('message', ({ type, cpuMs }: LongTurn) => {
    if (type === 'long-turn') turns[current] = Math.max(turns[current] ?? 0, cpuMs)
  })
  const during = async (what: string, change: () => Promise<void>, isOver: () => Promise<boolean>) => {
    current = what
    turns[what] = 0
    await change()
    await until(what, isOver, PATIENCE)
  }
  const called = async (path: string, options?: Parameters<typeof call>[2]) => {
    const { status, text } = await call(daemon, path, options)
    if (status !== 200) throw new Error(text)
    return text
  }
  const hasNotes = async (expected: number) => {
    const { vault } = VaultInfo.parse((await call(daemon, '/api/vaults/v')).body)
    if (vault.notes !== expected || vault.history.state !== 'ready') return false
    const found = SearchResult.parse((await call(daemon, `/api/vaults/v/search?q=round${round}&limit=1`)).body)
    return found.total === expected
  }
  const hasAll = () => hasNotes(notes)
  const hasNone = () => hasNotes(0)
  const aside = join(home, 'aside')
  const carry = async (from: string, to: string) => {
    await mkdir(to, { recursive: true })
    for (const name of await readdir(from)) await rename(join(from, name), join(to, name))
  }
  try {
    await until('ready', async () => (await call(daemon, '/api/ready')).status === 200, PATIENCE)
    // Code that is loaded and compiled by these requests counts as part of opening.
    await until('all is known', hasAll, PATIENCE)
    await during('rewritten', writeAll, hasAll)
    await during(
      'taken away with the disk',
      () => carry(root, aside),
      async () => {
        // Keep the daemon busy with requests: an idle one runs long garbage collections.
        await call(daemon, '/api/vaults/v')
        return daemon.output().includes('waiting to be sure') || daemon.output().includes('not at its place')
      },
    )
    await during('brought back', () => carry(aside, root), hasAll)
    await during('deleted outside', () => rm(join(root, 'all'), { recursive: true }), hasNone)
    await during('made outside', () => writeAll(inOne), hasAll)
    await during(
      'listed as one folder',
      async () => {
        const { tree } = Tree.parse(JSON.parse(await called('/api/vaults/v/tree?path=all/one')))
        if (tree.length !== notes) throw new Error(`${tree.length} notes are listed`)
      },
      hasAll,
    )
    await during(
      'moved as a folder',
      async () => {
        const json = { from: 'all', to: 'moved' }
        await called('/api/vaults/v/move', { method: 'POST', json })
      },
      hasAll,
    )
    await during('deleted as a folder', async () => void (await called(FOLDER, { method: 'DELETE' })), hasNone)
    await daemon.stop()
    return turns
  } finally {
    await daemon.remove()
  }
}
