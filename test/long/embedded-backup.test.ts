import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openToOthers, runsAsRoot } from '../../embedded/installation/places.ts'
import { createPerson, type Person } from '../support/person.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'

const own = fileURLToPath(new URL('../..', import.meta.url))
// Without the right to change users, the other user is this one.
const other = runsAsRoot() ? { uid: 54_321, gid: 54_321 } : {}
let base: string
let clone: string
const platforms: Platform[] = []

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-long-'))
  await chmod(base, 0o755)
  clone = (await openToOthers(own)) ? own : join(base, 'clone')
  if (clone !== own)
    await cp(own, clone, { recursive: true, verbatimSymlinks: true, filter: (path) => !/\/\.(git|data)$/.test(path) })
}, 600_000)
afterAll(async () => {
  for (const platform of platforms) await platform.remove()
  await removeFolder(base)
})

async function start(dataDir: string, user: typeof other): Promise<Platform> {
  const platform = await startPlatform({}, { dataDir, clone, ...user })
  platforms.push(platform)
  return platform
}

/** Runs a command of the clone as a user; throws its output when it fails. */
async function run(user: typeof other, command: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(clone, `embedded/${command}.command.ts`), ...args], {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: base },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`)
}

/** A folder that this user owns. */
async function folderOf(name: string, { uid, gid }: typeof other): Promise<string> {
  const folder = join(base, name)
  await mkdir(folder)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  return folder
}

async function signedIn(platform: Platform): Promise<Person> {
  const person = createPerson(platform.origin, platform.mailbox)
  person.email = 'ada@example.org'
  const answer = await person.signIn()
  expect(answer.status).toBe(200)
  return person
}

const vaultsOf = async (person: Person) => {
  const { organizations } = (await person.get('/api/vaults')).body
  return (organizations[0]?.vaults ?? []).map(({ id }: { id: string }) => id) as string[]
}

/** Every file of the vaults below a data folder, by its path there. */
async function vaultFiles(dataDir: string): Promise<Record<string, string>> {
  const root = join(dataDir, 'daemons')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.parentPath.includes('/home/vaults/'))
  const pairs = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return [path.slice(root.length), await readFile(path, 'base64')] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}

test(
  'a platform goes from root to an ordinary user and back, while both run; every vault is byte-equal',
  { timeout: 900_000 },
  async () => {
    verifies('embedded.backup', 'embedded.installation')
    const first = await start(join(await folderOf('with blanks in it', {}), 'data'), {})
    const person = createPerson(first.origin, first.mailbox)
    await person.signUp({ email: 'ada@example.org' })
    expect((await person.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'One' })).status).toBe(201)
    await until('the daemon runs', async () => (await vaultsOf(person)).includes('demo-vault'), { withinMs: 240_000 })
    const files = await vaultFiles(first.dataDir)
    expect(Object.keys(files).length).toBeGreaterThan(3)

    const taken = join(base, 'taken.tgz')
    await run({}, 'backup', taken, '--data', first.dataDir)
    const theirs = await folderOf('x'.repeat(120), other)
    const copy = join(theirs, 'backup.tgz')
    await copyFile(taken, copy)
    if (other.uid !== undefined) await chown(copy, other.uid, other.gid)

    await run(other, 'restore', copy, '--data', join(theirs, 'data'))
    expect(await vaultFiles(join(theirs, 'data'))).toEqual(files)
    const second = await start(join(theirs, 'data'), other)
    const again = await signedIn(second)
    await until('the restored daemon runs', async () => (await vaultsOf(again)).includes('demo-vault'), {
      withinMs: 240_000,
    })
    expect(await vaultsOf(person)).toEqual(['demo-vault']) // the original keeps running

    await run(other, 'backup', join(theirs, 'back.tgz'), '--data', second.dataDir)
    await second.stop()
    const third = join(await folderOf('back', {}), 'data')
    await run({}, 'restore', join(theirs, 'back.tgz'), '--data', third)
    expect(await vaultFiles(third)).toEqual(files)
    const last = await start(third, {})
    const back = await signedIn(last)
    await until('the daemon runs', async () => (await vaultsOf(back)).includes('demo-vault'), { withinMs: 240_000 })
  },
)
