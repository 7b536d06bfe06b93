import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { disksOfTimes } from '../../../test/support/disks-of-times.ts'
import { verifies } from '../../../test/requirements.ts'
import { decodeManifest, type Manifest } from './backup-manifest.ts'
import { createChunkSeal } from './sealed-chunk.ts'
import { stageRestore } from './stage-restore.ts'
import { takeBackup } from './take-backup.ts'

const made: string[] = []
afterEach(async () => {
  for (const folder of made.splice(0)) await removeFolder(folder)
})

const newFolder = async (below: string): Promise<string> => {
  const folder = await mkdtemp(join(below, 'svc-hostile-'))
  made.push(folder)
  return folder
}

const seal = createChunkSeal('a1'.repeat(32))
const backupId = 'bak_20260101000000aaaaaaaaaa'

type Taking = { home: string; chunks: Map<string, Buffer>; previous?: Manifest }

/** Takes a backup as the daemon does, and reads its manifest back as a restore does. */
async function take({ home, chunks, previous }: Taking) {
  const parts: Buffer[] = []
  const { summary, manifest } = await takeBackup({
    home,
    backupId,
    seal,
    stored: new Set(chunks.keys()),
    previous,
    flush: async () => {},
    refuseAway: async () => {},
    sink: {
      chunk: async (name, sealed) => void chunks.set(name, sealed),
      manifest: async (sealed) => void parts.push(await seal.open(sealed, `manifest:${backupId}:${parts.length}`)),
      progress: async () => {},
    },
    clock: systemClock,
    signal: new AbortController().signal,
  })
  const decoded = await decodeManifest(parts)
  expect(decoded).toEqual({ ...manifest, folders: manifest.folders.toSorted() })
  return { summary, manifest: decoded }
}

async function restore(folder: string, manifest: Manifest, chunks: Map<string, Buffer>) {
  const sent = async function* () {
    for (const [name, sealed] of chunks) yield { name, sealed }
  }
  const { signal } = new AbortController()
  return stageRestore({ folder, manifest, seal, chunks: sent(), progress: async () => {}, signal })
}

const NAMES = [
  'back\\slash.md',
  'line\nbreak',
  '\r\n\t',
  '\u0001\u007f\u0085',
  ' blanks ',
  'dot.',
  '...',
  '..a',
  '.hidden',
  '-rf',
  '~',
  '*?<>|"',
  "it's",
  '%2e%2e%2f',
  '%00',
  'C: drive',
  'CON',
  '__proto__',
  'constructor',
  '{"path":"x"}',
  '\u2028\u2029',
  '\u202ertl',
  '\ufeffbom',
  '\u200b',
  'caf\u00e9',
  'cafe\u0301',
  '😀'.repeat(63),
  'n'.repeat(255),
]

/** They would lead elsewhere on a system that separates names by backslashes. */
const LEFT_OUT = ['..\\..\\outside', '\\', 'a\\.\\b']

/** Seconds as `touch` takes them: an Int64 is what some disks keep. */
const TIMES = [
  '0',
  '-1',
  '-0.5',
  '-0.000000001',
  '-372988800',
  '-62135596801',
  '-8640000000001',
  '-9223372036854775808',
  '0.000000001',
  '1700000000.123456789',
  '2147483648',
  '4294967296',
  '253402300800',
  '8640000000001',
  '9007199254740993',
  '9223372036854775807',
]

const MODES = [0o400, 0o600, 0o644, 0o755, 0o777, 0o1666, 0o2755, 0o4755, 0o7777]

describe.each(disksOfTimes)('on the disk of %s', (disk) => {
  test('whatever name, time and mode a file has, the backup that holds it is restored', async () => {
    verifies('backup.always-restorable')
    const home = await newFolder(disk)
    const vault = join(home, 'vaults/v')
    await mkdir(vault, { recursive: true })
    await mkdir(join(home, 'daemon/live'), { recursive: true })
    const paths: string[] = []
    const add = async (path: string, content: string) => {
      await writeFile(join(vault, path), content)
      paths.push(path)
    }
    for (const name of NAMES) {
      await mkdir(join(vault, 'folders', name), { recursive: true })
      await add(`folders/${name}/a.md`, `in ${name}`)
      await add(name, name)
    }
    for (const [nth, time] of TIMES.entries()) {
      await add(`time ${nth}`, `time ${time}`)
      try {
        execFileSync('touch', ['-d', `@${time}`, join(vault, `time ${nth}`)], { stdio: 'pipe' })
      } catch {
        // This disk, or this program, knows no such time.
      }
    }
    for (const mode of MODES) {
      await add(`mode ${mode}`, '')
      await chmod(join(vault, `mode ${mode}`), mode)
    }
    for (const name of LEFT_OUT) {
      await mkdir(join(vault, 'folders', name))
      await writeFile(join(vault, name), name)
    }
    await utimes(vault, new Date(-5000), new Date(-5000))
    await symlink('/etc/passwd', join(vault, 'link'))
    await writeFile(Buffer.concat([Buffer.from(`${vault}/latin-`), Buffer.of(0xe9)]), 'no text')

    const chunks = new Map<string, Buffer>()
    const first = await take({ home, chunks })
    expect(first.summary).toMatchObject({ files: paths.length, skipped: 2 + 2 * LEFT_OUT.length, settled: true })
    // What was read once is recognized: an unreadable manifest would make every backup read everything.
    const second = await take({ home, chunks, previous: first.manifest })
    expect(second.summary).toMatchObject({ files: paths.length, readBytes: 0 })

    const target = await newFolder(disk)
    expect(await restore(target, second.manifest, chunks)).toMatchObject({ files: paths.length })
    for (const path of paths) {
      const [before, after] = await Promise.all(
        [vault, join(target, 'vaults/v')].map((root) => lstat(join(root, path))),
      )
      expect(await readFile(join(target, 'vaults/v', path), 'utf8')).toBe(await readFile(join(vault, path), 'utf8'))
      expect(after!.mode & 0o7777, path).toBe(before!.mode & 0o777)
      // Beyond the years of a date, a time may be restored as the nearest one.
      if (!Number.isNaN(before!.mtime.getTime()))
        expect(Math.abs(after!.mtimeMs - before!.mtimeMs), path).toBeLessThan(1)
    }
  })
})
