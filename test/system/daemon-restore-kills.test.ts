import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findLastRestore, intendRestore, replaceHome, replacedFolder } from '../../daemon/src/backups/replace-home.ts'
import { homeLayout } from '../../daemon/src/home/home-layout.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'

type Files = Record<string, string>

const program = fileURLToPath(new URL('../support/killed-restore.ts', import.meta.url))
const before: Files = {
  'vaults/old/a.md': 'old\n',
  'daemon/audit/old.jsonl': 'old\n',
  'daemon/history/old/HEAD': 'old\n',
}
const after: Files = {
  'vaults/new/b.md': 'new\n',
  'vaults/old/a.md': 'newer\n',
  'daemon/audit/new.jsonl': 'new\n',
  'daemon/trash.json': 'new\n',
}
const own: Files = { 'daemon/relay-identity.pem': 'its own\n', 'daemon/index/x': 'rebuilt\n' }
const backupId = 'bak_20260101000000aaaaaaaaaa'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-restore-kills-'))))
afterAll(() => removeFolder(folder))

async function write(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

async function read(root: string): Promise<Files> {
  const found: Files = {}
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path.slice(root.length + 1)] = await readFile(path, 'utf8')
  }
  return found
}

/** A home with an unpacked restore that waits to be put in place. */
async function gathered(): Promise<string> {
  const home = join(folder, 'gathered')
  const layout = homeLayout(home)
  await write(home, { ...before, ...own })
  await write(join(layout.daemon, 'restoring'), after)
  const summary = { files: 4, bytes: 18, vaults: 2 }
  await intendRestore(layout, { restoreId: 'restore-1', backupId, at: '2026-01-01T00:00:00.000Z', summary })
  return home
}

test('a restore that is killed before any of its steps is finished by the next start', async () => {
  verifies('backup.restore-whole')
  const template = await gathered()
  const run = (home: string, dieAt: number) =>
    promisify(execFile)(process.execPath, [program, home, String(dieAt)]).then(
      ({ stdout }) => Number(stdout),
      ({ signal }: { signal?: string }) => signal,
    )
  const whole = join(folder, 'whole')
  await cp(template, whole, { recursive: true })
  const steps = await run(whole, 0)
  expect(steps).toBeGreaterThan(8)

  const dieAt = Array.from({ length: Number(steps) }, (_, index) => index + 1)
  const check = async (at: number) => {
    const home = join(folder, `killed-${at}`)
    const layout = homeLayout(home)
    await cp(template, home, { recursive: true })
    expect(await run(home, at), `step ${at}`).toBe('SIGKILL')
    await replaceHome(layout)

    const found = await read(home)
    for (const [path, content] of Object.entries(after)) expect(found[path], `${path}, step ${at}`).toBe(content)
    expect(found['daemon/audit/old.jsonl'], `step ${at}`).toBeUndefined()
    expect(found['daemon/relay-identity.pem']).toBe('its own\n')
    expect(Object.keys(found).filter((path) => path.includes('/restoring/') || path.endsWith('restore.json'))).toEqual(
      [],
    )
    const replaced = await read(replacedFolder(layout))
    for (const [path, content] of Object.entries(before)) expect(replaced[path], `${path}, step ${at}`).toBe(content)
    expect(await findLastRestore(layout)).toMatchObject({ restoreId: 'restore-1', backupId })
    await rm(home, { recursive: true })
  }
  // Two at a time, because each check mostly waits for a process.
  const [even, odd] = [dieAt.filter((at) => at % 2 === 0), dieAt.filter((at) => at % 2 === 1)]
  await Promise.all(
    [even, odd].map(async (half) => {
      for (const at of half) await check(at)
    }),
  )
})
