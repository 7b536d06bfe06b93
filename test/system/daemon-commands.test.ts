import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../daemon/src/cli/run-command.ts'
import { readConfig } from '../../daemon/src/config.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, runSvcd, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { writeTrickyVault } from '../support/vault.ts'
import { removeFolder } from '../support/remove-folder.ts'

const program = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
let daemon: Svcd
let folder: string
beforeAll(async () => {
  const home = await newHome()
  folder = await mkdtemp(join(tmpdir(), 'svc-commands-'))
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  await writeTrickyVault(join(home, 'vaults/v'))
  daemon = await startSvcd({ home })
  await until('everything is indexed', async () => (await call(daemon, '/api/ready')).status === 200)
})
afterAll(async () => {
  await daemon.remove()
  await removeFolder(folder)
})

/**
 * Runs a command as `svcd` does, but in this process: starting Node for each command takes seconds on a busy machine.
 */
const run = (...[name = '', ...args]: string[]) => runOn(daemon.home, name, ...args)
async function runOn(home: string, name: string, ...args: string[]) {
  const texts = { stdout: '', stderr: '' }
  const config = () => readConfig({ SVC_HOME: home, PATH: process.env.PATH })
  const out = (text: string) => void (texts.stdout += text)
  const error = (text: string) => void (texts.stderr += text)
  return { code: await runCommand({ name, args, config, out, error }), ...texts }
}
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect(stderr, args.join(' ')).toBe('')
  return { code, body: JSON.parse(stdout) as Record<string, unknown> }
}

test('commands find the running daemon, and print for people and for programs', async () => {
  verifies('daemon.commands')
  expect(await json('status')).toMatchObject({
    code: 0,
    body: { running: true, address: daemon.url, home: daemon.home },
  })
  const status = await runSvcd({ SVC_HOME: daemon.home }, ['status'])
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining(daemon.url)])
  expect((await json('vaults')).body).toMatchObject({ vaults: [{ id: 'v', notes: 8 }] })
  expect(await json('flush')).toMatchObject({ code: 0, body: { durableAsOf: expect.any(String) } })
  expect(await json('flush', 'none')).toMatchObject({ code: 1, body: { error: { code: 'not_found' } } })

  const planned = await json('move', 'v', 'Start here.md', 'Begin.md', '--dry-run')
  expect(planned.body).toMatchObject({ dryRun: true, linksTotal: 1, notes: [{ path: 'Home.md' }] })
  const moved = await run('move', 'v', 'Start here.md', 'Begin.md')
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('Home.md:3: Start here → Begin')])
  expect(await readFile(daemon.file('v', 'Home.md'), 'utf8')).toContain('[[Begin]]')
  expect((await json('move', 'v', 'Begin.md', 'Home.md')).body).toMatchObject({ error: { code: 'note_exists' } })
})

test('a home that is named by a path through a link is the same home, with a daemon and without one', async () => {
  verifies('daemon.commands', 'daemon.doctor')
  const links = await newHome()
  onTestFinished(() => removeFolder(links))
  const link = join(links, 'served')
  await symlink(daemon.home, link)
  const served = await runOn(link, 'doctor', 'v')
  expect([served.code, served.stdout]).toEqual([0, expect.stringContaining(`The daemon runs at ${daemon.url}.`)])

  const other = await newHome()
  onTestFinished(() => removeFolder(other))
  await cp(join(daemon.home, 'vaults'), join(other, 'vaults'), { recursive: true })
  await symlink(other, join(links, 'unserved'))
  const unserved = await runOn(join(links, 'unserved'), 'doctor')
  expect([unserved.code, unserved.stdout]).toEqual([0, expect.stringContaining('No problem was found.')])
})

test.each([
  ['every address', { SVC_HOST: '0.0.0.0', SVC_ALLOW_NON_LOOPBACK: '1' }, '127.0.0.1'],
  // No name that the daemon serves by itself, as the address of a network card.
  ['one address', { SVC_HOST: '127.0.0.2' }, '127.0.0.2'],
])('a daemon that listens at %s is found by commands and by agents', async (_, listening, host) => {
  verifies('daemon.commands', 'mcp.stdio')
  const other = await startSvcd({ env: { ...listening, SVC_ALLOWED_HOSTS: 'notes.example' } })
  onTestFinished(other.remove)
  const address = `http://${host}:${new URL(other.url).port}`
  const { code, stdout } = await runOn(other.home, 'status', '--json')
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { running: true, address }])
  expect((await runOn(other.home, 'doctor')).stdout).toContain(`The daemon runs at ${address}.`)

  const client = new Client({ name: 'stdio-agent', version: '1' })
  const env = { PATH: process.env.PATH ?? '', SVC_HOME: other.home }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }))
  onTestFinished(() => client.close())
  expect(await client.callTool({ name: 'list_vaults' })).toMatchObject({
    structuredContent: { vaults: [{ id: 'demo-vault' }] },
  })
})

test('a vault goes out as a zip and comes back as another vault', async () => {
  verifies('daemon.commands', 'archive.round-trip')
  const file = join(folder, 'My Vault.zip')
  expect(await json('export', 'v', file)).toMatchObject({ code: 0, body: { file } })
  expect(await json('export', 'v', file)).toMatchObject({ code: 1, body: { error: { code: 'path_conflict' } } })
  expect(await json('export', 'none', join(folder, 'none.zip'))).toMatchObject({ code: 1 })
  expect(await readdir(folder)).toEqual(['My Vault.zip'])
  expect(await json('import', file, '--name', 'Copy')).toMatchObject({
    code: 0,
    body: { vault: { id: 'my-vault', displayName: 'Copy' } },
  })
  for (const path of ['Mixed.md', 'Not UTF-8.md', 'Byte order mark.md', 'Attachments/pixel.png'])
    expect(await readFile(daemon.file('my-vault', path)), path).toEqual(await readFile(daemon.file('v', path)))
  expect(await json('import', file)).toMatchObject({ code: 1, body: { error: { code: 'vault_exists' } } })
  const taken = await run('import', file)
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/A vault my-vault exists\..* --id\.\n$/)])
  expect(await json('import', join(folder, 'missing.zip'))).toMatchObject({
    code: 1,
    body: { error: { code: 'not_found' } },
  })
})

test('an export says how many files it leaves out because of their names', async () => {
  verifies('archive.left-out')
  const odd = [daemon.file('v', 'a\\b.md'), daemon.file('v', '100%2Fyear')]
  const exports = join(folder, 'odd')
  await mkdir(exports)
  let nth = 0
  const exported = async () => (await run('export', 'v', join(exports, `${nth++}.zip`))).stdout
  expect(await exported()).toMatch(/^\S+: [\d.]+ \w+\n$/)
  try {
    await writeFile(odd[0]!, 'x')
    await mkdir(odd[1]!)
    await writeFile(join(odd[1]!, 'c.md'), 'x')
    await until('it says so', async () => (await exported()).includes('; 2 files were left out'))
  } finally {
    for (const path of odd) await rm(path, { recursive: true, force: true })
  }
  await until('nothing is left out', async () => !(await exported()).includes('left out'))
})

test('an export leaves the files of others alone, also when it fails', async () => {
  verifies('daemon.commands')
  const folderOfExports = join(folder, 'exports')
  await mkdir(folderOfExports)
  const [file, download] = [join(folderOfExports, 'v.zip'), join(folderOfExports, 'v.zip.part')]
  await writeFile(download, 'a download of a browser')
  expect((await run('export', 'v', file)).code).toBe(0)
  expect((await run('export', 'v', join(folderOfExports, 'none/v.zip'))).code).toBe(1)
  expect((await readdir(folderOfExports)).toSorted()).toEqual(['v.zip', 'v.zip.part'])
  expect(await readFile(download, 'utf8')).toBe('a download of a browser')
})

test('a directory that is not served is named with the reason, and hides no other vault', async () => {
  verifies('daemon.commands', 'daemon.doctor')
  await until('the vault has its identity', async () => existsSync(daemon.file('v', '.svc/vault.json')))
  await cp(daemon.file('v', ''), daemon.file('twin', ''), { recursive: true })
  try {
    type Health = { status: { refusedVaults?: unknown[] } }
    const isRefused = async () =>
      ((await call(daemon, '/api/health')).body as Health).status.refusedVaults !== undefined
    await until('the daemon has refused it', isRefused)
    const refusedVaults = [{ name: 'twin', reason: 'has the same identity as v' }]
    expect((await json('status')).body).toMatchObject({ refusedVaults })
    expect((await run('status')).stdout).toContain('1 not served: svcd vaults says why')
    expect((await json('vaults')).body).toMatchObject({ refusedVaults })
    expect((await run('vaults')).stdout).toMatch(/^twin +not served +has the same identity as v$/m)
    const { code, body } = await json('doctor')
    const reports = body['vaults'] as { vault: string; problems: unknown[] }[]
    expect([code, reports.some(({ vault }) => vault === 'v')]).toEqual([1, true])
    expect(reports.find(({ vault }) => vault === 'twin')?.problems).toEqual([
      { path: '.', problem: 'is not served: has the same identity as v' },
    ])
  } finally {
    await rm(daemon.file('twin', ''), { recursive: true })
  }
})

test('doctor compares disk, daemon, index and history, with a running daemon and without one', async () => {
  verifies('daemon.commands', 'daemon.doctor')
  await until('the daemon knows every change', async () => (await json('doctor', 'v')).code === 0)
  await writeFile(daemon.file('v', 'Broken.md'), '---\na: [\n---\nbroken properties\n')
  await writeFile(daemon.file('v', 'back\\slash.md'), 'a name that is not served')
  await until('the daemon has seen the new note', async () => {
    const { body } = await json('doctor', 'v')
    const [report] = body['vaults'] as { problems: { path: string }[] }[]
    return report?.problems.map(({ path }) => path).join() === 'back\\slash.md'
  })
  const running = await json('doctor', 'v')
  expect(running).toMatchObject({ code: 1, body: { healthy: false, running: true } })
  const remarks = (running.body['vaults'] as { remarks: { path: string; problem: string }[] }[])[0]?.remarks
  expect(remarks?.map(({ path }) => path).toSorted()).toEqual(['Broken.md', 'Not UTF-8.md'])

  await rm(daemon.file('v', 'back\\slash.md'))
  await until('the daemon has seen that it is gone', async () => (await json('doctor', 'v')).code === 0)
  await daemon.stop()
  try {
    // On a busy machine, the stop may leave some commits of the history to the next start.
    await until('the history has each note', async () => {
      const reports = (await json('doctor')).body['vaults'] as { history: string }[]
      if (reports.every(({ history }) => history === 'equals the disk')) return true
      await daemon.restart()
      await daemon.stop()
      return false
    })
    const stopped = await json('doctor')
    expect(stopped).toMatchObject({ code: 0, body: { healthy: true, running: false } })
    const reports = stopped.body['vaults'] as { vault: string; notes: number; history: string }[]
    expect(reports.map(({ vault, notes, history }) => [vault, notes, history])).toEqual([
      ['my-vault', 8, 'equals the disk'],
      ['v', 9, 'equals the disk'],
    ])
    if (process.getuid?.() !== 0) {
      await chmod(daemon.file('v', 'Home.md'), 0)
      expect((await run('doctor', 'v')).stdout).toContain('PROBLEM Home.md cannot be read')
      await chmod(daemon.file('v', 'Home.md'), 0o644)
    }
    const { code, stderr } = await run('status')
    expect([code, stderr]).toEqual([75, expect.stringContaining('no daemon answers')])
    expect(await json('vaults')).toMatchObject({ code: 75, body: { error: { code: 'not_running' } } })
  } finally {
    await daemon.restart()
  }
})

test('wrong usage ends with 64 and names what is wrong; every command explains itself', async () => {
  verifies('daemon.commands')
  const { stdout } = await runSvcd({}, ['--help'])
  expect((await runSvcd({}, ['nothing'])).stderr).toContain('unknown argument nothing')
  for (const name of ['status', 'vaults', 'flush', 'doctor', 'move', 'revert', 'export', 'import']) {
    expect(stdout).toContain(`svcd ${name}`)
    const help = await run(name, '--help')
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining(`Usage: svcd ${name}`)])
  }
  for (const [args, problem] of [
    [['move', 'v', 'a.md'], 'TO is missing'],
    [['status', 'more'], 'more is not expected'],
    [['vaults', '--wrong'], "Unknown option '--wrong'"],
    [['revert', 'v'], '--client or --actor is missing'],
    [['revert', 'v', '--client', 'A', '--actor', 'b'], 'only one of them can be given'],
    [['revert', 'v', '--client', 'A'], '--since is missing'],
  ] as const) {
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([64, expect.stringContaining(problem)])
  }
})

test('changes of an agent are shown and undone; a wrong time is refused with the reason', async () => {
  verifies('daemon.commands')
  const client = new Client({ name: 'Archivist', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  await client.callTool({ name: 'create_note', arguments: { vaultId: 'v', path: 'by agent.md', content: 'words' } })
  await client.close()

  const wish = ['revert', 'v', '--client', 'Archivist', '--since', '2026-01-01T00:00:00Z']
  const shown = await run(...wish, '--dry-run')
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringContaining('by agent.md: would be moved to the trash\n@@ -1,1 +1,0 @@\n-words'),
  ])
  expect(await readFile(daemon.file('v', 'by agent.md'), 'utf8')).toBe('words')
  expect(await json(...wish)).toMatchObject({ code: 0, body: { notes: [{ path: 'by agent.md', action: 'trash' }] } })
  await expect(readFile(daemon.file('v', 'by agent.md'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await run(...wish)).stdout).toBe('there is nothing to take back\n')

  const wrong = await run('revert', 'v', '--client', 'Archivist', '--since', 'yesterday')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('since: must be a time such as 2026-01-31')])
})

test('an import without --id takes its short name from the file, as the pages do', async () => {
  verifies('daemon.commands')
  const zips = join(folder, 'zips')
  await mkdir(zips)
  const file = join(zips, 'Notizen Übersicht.zip')
  expect((await run('export', 'v', file)).code).toBe(0)
  const long = join(zips, 'A very long name of an archive of all my notes 2026.ZIP')
  await cp(file, long)
  const idOf = async (path: string) => (await json('import', path)).body['vault']
  expect(await idOf(file)).toMatchObject({ id: 'notizen-ubersicht' })
  expect(await idOf(long)).toMatchObject({ id: 'a-very-long-name-of-an-archive-of-all-my' })
  const unreadable = join(zips, '東京.zip')
  await cp(file, unreadable)
  const { code, stderr } = await run('import', unreadable)
  expect([code, stderr]).toEqual([1, expect.stringContaining('choose a short name with --id')])
})
