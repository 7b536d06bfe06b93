import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { recoverMove } from '../../daemon/src/journal/carry-out-move.ts'
import { systemDisk } from '../../daemon/src/files/disk/disk.ts'
import { createFileRoot } from '../../daemon/src/files/file-root.ts'
import { faultyDisk } from './faulty-disk.ts'
import { startRelayedDaemon } from './relayed-daemon.ts'
import { until } from './until.ts'
import { removeFolder } from './remove-folder.ts'

type Files = Record<string, string>
/** A move, and the files of the vault before and after it. */
export type MoveCase = { name: string; from: string; to: string; before: Files; after: Files }

/** Moves that touch many files. */
export const moveCases: MoveCase[] = [
  {
    name: 'a note with links to itself and from others',
    from: 'm.md',
    to: 'sub/deep/n.md',
    // The last name is one that our own API refuses, and that other programs make.
    before: { 'm.md': '[[m]] [o](o.md)\n', 'o.md': '[[m]]\n', 'p/q%2Fr.md': '[m](../m.md)\n' },
    after: { 'sub/deep/n.md': '[[n]] [o](../../o.md)\n', 'o.md': '[[n]]\n', 'p/q%2Fr.md': '[m](../sub/deep/n.md)\n' },
  },
  {
    name: 'a folder with settings',
    from: 'f',
    to: 'g/h',
    before: {
      'f/a.md': '[[b]] [x](../x.md)\n',
      'f/b.md': 'b\n',
      'x.md': '[[f/a]]\n',
      '.svc/folders.yml': 'folders: { f: { order: 1 } }\n',
    },
    after: {
      'g/h/a.md': '[[b]] [x](../../x.md)\n',
      'g/h/b.md': 'b\n',
      'x.md': '[[g/h/a]]\n',
      '.svc/folders.yml': 'folders: { g/h: { order: 1 } }\n',
    },
  },
  {
    name: 'an attachment',
    from: 'i.png',
    to: 'img/j.png',
    before: { 'i.png': 'png', 'e.md': '![[i.png]]\n' },
    after: { 'img/j.png': 'png', 'e.md': '![[j.png]]\n' },
  },
]

const TYPED = ['storage_full', 'storage_read_only', 'storage_failed', 'file_access_denied']
const MAX_STEPS = 250

/** The steps to fail: every `stride`-th one, from `first` on. */
type Steps = { first: number; stride: number }

/** A daemon on a disk that fails while it moves files. */
export async function moveFaults() {
  const faulty = faultyDisk()
  const daemon = await startRelayedDaemon({ disk: faulty.disk })
  const root = join(daemon.home, 'vaults/demo-vault')
  const api = (path: string, json?: unknown) => daemon.local(`/api/vaults/demo-vault${path}`, json ? { json } : {})

  /** Every file of the vault that a move may touch. */
  async function filesNow(): Promise<Files> {
    const found: Files = {}
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1)
      const isOurs = path.startsWith('.svc/') && path !== '.svc/folders.yml'
      if (entry.isFile() && !isOurs) found[path] = await readFile(join(root, path), 'utf8')
    }
    return found
  }

  /** Makes the vault contain exactly these files, and waits until the daemon knows them. */
  async function given(files: Files): Promise<void> {
    for (const name of await readdir(root)) if (name !== '.svc') await rm(join(root, name), { recursive: true })
    for (const name of ['tmp', 'move.json', 'folders.yml']) await removeFolder(join(root, '.svc', name))
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
    const { manifest, recheck } = daemon.registry.find('demo-vault')
    const wanted = Object.keys(files).filter((path) => !path.startsWith('.svc'))
    for (const path of new Set([...wanted, ...manifest.files().map((file) => file.path)])) await recheck(path)
    await until('the daemon knows the files', async () => manifest.count() === wanted.length)
  }

  const newestEntry = async () => AuditList.parse((await api('/audit?limit=1')).body).entries[0]

  /** Repeats the move, each time with a later failing step, until the move has fewer steps than that. */
  async function* runs(
    { from, to, before }: MoveCase,
    { first, stride }: Steps,
    fault: { errno: string; lasts: 'once' | 'on' },
  ) {
    for (let step = first; ; step += stride) {
      await given(before)
      const last = JSON.stringify(await newestEntry())
      faulty.arm({ at: step, ...fault })
      const answer = await api('/move', { from, to })
      const hits = faulty.heal()
      yield { answer, last, where: `${fault.errno} at step ${step} (${hits[0]}): ${answer.text}` }
      if (hits.length === 0) return
      expect(step).toBeLessThan(MAX_STEPS)
    }
  }

  return {
    close: () => daemon.close(),

    /**
     * Lets one step fail. Either the move is made, or it fails with a typed error and nothing has changed. Returns the
     * number of failed moves.
     */
    async failOnce(move: MoveCase, steps: Steps, errno: string): Promise<number> {
      let failures = 0
      for await (const { answer, last, where } of runs(move, steps, { errno, lasts: 'once' })) {
        const isMade = answer.status === 200
        expect(await filesNow(), where).toEqual(isMade ? move.after : move.before)
        if (!isMade) expect(TYPED, where).toContain(ErrorBody.parse(answer.body).error.code)
        if (!isMade) failures++
        const entry = await newestEntry()
        const outcome = isMade ? 'done' : 'failed'
        if (JSON.stringify(entry) !== last)
          expect(entry, where).toMatchObject({ path: move.from, to: move.to, outcome })
      }
      return failures
    },

    /**
     * From one step on nothing reaches the disk, as after a kill; this includes the rollback of the move. The next
     * start must find the whole move or none of it. Returns how often each happened.
     */
    async crash(move: MoveCase, steps: Steps): Promise<{ made: number; undone: number }> {
      const ends = { made: 0, undone: 0 }
      for await (const { answer, where } of runs(move, steps, { errno: 'EIO', lasts: 'on' })) {
        await recoverMove(createFileRoot({ path: root, disk: systemDisk, reservedBytes: 0 }))
        const files = await filesNow()
        const isMade = Object.keys(move.after).every((path) => files[path] === move.after[path])
        expect(files, where).toEqual(isMade ? move.after : move.before)
        expect(answer.status === 200 && !isMade, where).toBe(false)
        expect(await readdir(join(root, '.svc')), where).not.toContain('move.json')
        ends[isMade ? 'made' : 'undone']++
      }
      return ends
    },
  }
}
