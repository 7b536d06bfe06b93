import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { commandCheck, commandsOfPage, commandsOfSource, simpleCommands } from '../support/documented-commands.ts'
import { copyWorkTree } from '../support/work-tree-copy.ts'
import { removeFolder } from '../support/remove-folder.ts'

// In a registry of packages or images, anybody can take a name that is not ours. No command in the documents may fetch
// one.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const exclude = (path: string) => /(^|\/)(node_modules|dist|\.data|\.git|\.cache)(\/|$)/.test(path)

const pages = globSync('**/*.md', { cwd: root, exclude })
const sources = globSync(['**/*.{ts,tsx,mjs,js,sh,go,yaml,html}', '**/Dockerfile', '.ci/run'], { cwd: root, exclude })
// The web app's commands are for machines without a clone: test/system/daemon-download.test.ts runs them.
const ownTexts = /documented-commands\.ts$|commands\.test\.ts$|daemon-commands\.ts$|daemon-download\.test\.ts$/
const shown = [
  ...pages.flatMap((page) => commandsOfPage(page, read(page))),
  ...sources.filter((path) => !ownTexts.test(path)).flatMap((path) => commandsOfSource(path, read(path))),
  ...simpleCommands(read('daemon/Dockerfile').replaceAll(/^#(?: {3}| {5})(?=\S)/gm, ''))
    .filter(([program]) => program === 'docker')
    .map((words) => ({ file: 'daemon/Dockerfile', words })),
]

describe('the check of commands', () => {
  const problem = commandCheck(root)
  const of = (shell: string) => simpleCommands(shell).map((words) => problem({ file: 'README.md', words }))

  test.each([
    ['npm start', 'npm run svcd -- --help', 'SVC_HOME=~/notes npm run -s svc-admin -- --help  # administers'],
    ['npx --no vitest run', 'npm run build && docker build -t svcd .', 'npm run build --workspace @svc/daemon'],
  ])('lets %s, %s and %s pass', (...shell) => {
    for (const line of shell) for (const found of of(line)) expect(found, line).toBeUndefined()
  })

  test.each([
    'npx svcd --help',
    'npx svc-admin',
    'npx --no svc-nothing',
    'SVC_HOME=~/notes svcd',
    'svc-admin --help',
    'npm run build:ui --workspace @svc/daemon',
    'npm run nothing',
    'npm install svcd',
    'docker run -p 127.0.0.1:7382:7382 svcd',
    'test/kubernetes/nothing.sh',
    'svc-nothing --help',
  ])('refuses %s', (shell) => {
    expect(of(shell)).toEqual([expect.any(String)])
  })
})

test('every command that we show names something of this repository', () => {
  verifies('setup.own-commands')
  expect(shown.filter(({ file }) => file === 'README.md').length).toBeGreaterThan(4)
  expect(shown.filter(({ file }) => file === 'daemon/Dockerfile').length).toBeGreaterThan(2)
  const problem = commandCheck(root)
  const wrong = shown.flatMap((command) => {
    const found = problem(command)
    return found === undefined ? [] : [`${command.file}: ${command.words.join(' ')}: ${found}`]
  })
  expect(wrong).toEqual([])
})

test('the lock file says of each part what its manifest says', () => {
  verifies('setup.own-commands')
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Record<string, unknown>> }
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  const kept = ['name', 'version', 'bin', 'dependencies', 'devDependencies', 'optionalDependencies', 'workspaces']
  for (const part of ['', ...workspaces]) {
    const manifest = JSON.parse(read(join(part, 'package.json'))) as Record<string, unknown>
    for (const key of kept) expect(packages[part]?.[key], `${part || 'the root'}: ${key}`).toEqual(manifest[key])
  }
})

describe('in a fresh copy with all packages installed', () => {
  let copy: string
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'svc copy-'))
    await copyWorkTree(root, copy)
  })
  afterAll(() => removeFolder(copy))

  const asked = new Set(
    shown
      .filter(({ words }) => ['npm', 'npx'].includes(words[0] ?? '') && !words.includes('--workspace'))
      .map(({ words: [program, ...rest] }) => {
        const [first, second] = rest.filter((word) => word !== '-s' && word !== '--silent')
        if (program === 'npx') return `npx --no ${second} --help`
        return `npm run --silent ${first === 'run' ? second : first} -- --help`
      }),
  )

  test.each([...asked])('%s answers', { timeout: 60_000 }, async (command) => {
    verifies('setup.own-commands')
    const [program = '', ...args] = command.split(' ')
    const env = { ...process.env, npm_config_offline: 'true' }
    const { stdout } = await promisify(execFile)(program, args, { cwd: copy, env })
    expect(stdout.length).toBeGreaterThan(60)
  })
})
