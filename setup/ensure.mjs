// Prepares a fresh clone to run the platform or its tests. Plain JavaScript: it runs on the machine's own Node (20 or
// later) before Node 24 and the dependencies are installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oneAtATime } from './one-at-a-time.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')

/** Node 24 of the project, once the dependencies are installed. */
export const projectNode = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')

/**
 * The environment in which `node` is the Node of the project. It keeps compiled code: a start from the sources otherwise
 * takes a second or two to strip the types of a thousand files.
 */
export const projectEnvironment = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Runs a command to its end; on failure its last output is printed and the process ends with the name of the step. */
async function run(step, command, args) {
  const since = performance.now()
  const terminal = process.stderr.isTTY
  process.stderr.write(`  ${step} …${terminal ? '' : '\n'}`)
  const ticking = setInterval(() => terminal && process.stderr.write(`\r  ${step} … ${seconds(since)}`), 500)

  let output = ''
  const child = spawn(command, args, { cwd: root, env: projectEnvironment, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-8_000)))
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(127)
    })
    child.once('close', resolve)
  })

  clearInterval(ticking)
  if (code === 0) {
    process.stderr.write(`${terminal ? '\r' : ''}  ${step}: done in ${seconds(since)}\n`)
    return
  }
  process.stderr.write(`\n${output}\nThe step “${step}” failed (${command} ${args.join(' ')}, exit ${code}).\n`)
  process.exit(1)
}

/** Hash of the contents of files and folders, so that a step is repeated only when its input has changed. */
function fingerprint(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) return
    if (found.isDirectory()) {
      for (const name of readdirSync(path).sort()) if (name !== 'node_modules' && name !== 'dist') add(join(path, name))
      return
    }
    hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  for (const path of paths) add(join(root, path))
  return hash.digest('hex')
}

/** Runs a step unless its marker says that it ran with exactly this input. */
async function once({ step, marker, input, outputs, command, args }) {
  const file = join(root, marker)
  const isDone = () => {
    const have = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
    return have === fingerprint(input) && outputs.every((path) => existsSync(join(root, path)))
  }
  if (isDone()) return
  await oneAtATime(join(root, '.setup-lock'), async () => {
    if (isDone()) return // by another process meanwhile
    const wanted = fingerprint(input)
    await run(step, command, args)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${wanted}\n`)
  })
}

/** The manifests that the installed dependencies belong to. */
export const INSTALLED_MARKER = 'node_modules/.installed'

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const manifests = ['package.json', 'package-lock.json', ...workspaces.map((part) => `${part}/package.json`)]

/** The content of the marker when the installed dependencies match the manifests. */
export const dependencyFingerprint = () => fingerprint(manifests)

/** Installs the dependencies, including Node 24. */
export async function ensureDependencies() {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 20) {
    process.stderr.write(`Node 20 or later is needed; this is ${process.version}.\n`)
    process.exit(1)
  }
  await once({
    step: 'Installing dependencies and Node 24 from npm',
    marker: INSTALLED_MARKER,
    input: manifests,
    outputs: ['node_modules/.bin/node', 'node_modules/.bin/vite'],
    command: 'npm',
    args: ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'],
  })
}

const builds = [
  {
    name: 'diagram',
    step: 'Building the page that draws diagrams',
    marker: 'daemon/dist/.diagram-built',
    input: ['shared/diagram', 'setup/build-diagram.ts', 'package-lock.json'],
    outputs: ['daemon/dist/diagram', 'control-plane/dist/diagram'],
    command: projectNode,
    args: ['setup/build-diagram.ts'],
  },
  {
    name: 'ui',
    step: 'Building the web UI of the daemon',
    marker: 'daemon/dist/.ui-built',
    input: ['daemon/ui', 'shared', 'package-lock.json'],
    outputs: ['daemon/dist/ui/index.html'],
    args: ['run', '--silent', 'build', '--workspace', '@svc/daemon'],
  },
  {
    name: 'web',
    step: 'Building the web app of the control plane',
    marker: 'control-plane/dist/.web-built',
    input: ['control-plane/web', 'shared', 'package-lock.json'],
    outputs: ['control-plane/dist/web/index.html'],
    args: ['run', '--silent', 'build', '--workspace', '@svc/control-plane'],
  },
  {
    name: 'bundle',
    step: 'Bundling the daemon',
    marker: 'daemon/dist/.bundled',
    input: [
      'daemon',
      'shared',
      'setup/bundle-programs.ts',
      'setup/late-builtins.ts',
      'setup/load-together.ts',
      'setup/plain-builtins.ts',
      'package-lock.json',
    ],
    outputs: ['daemon/dist/bundle/svcd.mjs'],
    args: ['run', '--silent', 'build:bundle', '--workspace', '@svc/daemon'],
  },
  {
    name: 'downloads',
    step: 'Packing the daemon for download',
    marker: 'control-plane/dist/.packed',
    input: [
      'daemon',
      'shared',
      'charts/svcd',
      'setup/bundle-programs.ts',
      'setup/plain-builtins.ts',
      'setup/pack-downloads.ts',
      'package-lock.json',
    ],
    outputs: ['control-plane/dist/download/index.json'],
    command: projectNode,
    args: ['setup/pack-downloads.ts'],
  },
  {
    name: 'servers',
    step: 'Bundling the control plane and the operator',
    marker: 'control-plane/dist/.bundled',
    input: [
      'control-plane',
      'operator',
      'kube',
      'shared',
      'daemon',
      'charts/svcd',
      'setup/bundle-programs.ts',
      'setup/plain-builtins.ts',
      'setup/bundle-servers.ts',
      'setup/pack-downloads.ts',
      'package-lock.json',
    ],
    outputs: ['control-plane/dist/bundle/app/main.mjs', 'operator/dist/bundle/app/main.mjs'],
    command: projectNode,
    args: ['setup/bundle-servers.ts'],
  },
]

/** Builds the bundles that images contain. */
export const allBuilds = builds.map(({ name }) => name)

/** Builds what the platform runs from, or the named builds; each only when its sources have changed. */
export async function ensureBuilds(names = allBuilds.filter((name) => name !== 'servers')) {
  for (const build of builds) if (names.includes(build.name)) await once({ command: 'npm', ...build })
}
