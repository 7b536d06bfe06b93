import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { parse } from 'yaml'
import { repository } from './bundle-programs.ts'

/** One file of an archive: its path inside, its bytes, and whether it is a program. */
type Entry = { path: string; bytes: Buffer; program?: boolean }

const target = join(repository, 'control-plane/dist/download')
const DIGITS_IN_NAME = 12

/** Every file of a folder, in the same order on every machine. */
async function filesBelow(folder: string, prefix: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const name of (await readdir(folder)).toSorted()) {
    const file = join(folder, name)
    if ((await stat(file)).isDirectory()) entries.push(...(await filesBelow(file, `${prefix}/${name}`)))
    else entries.push({ path: `${prefix}/${name}`, bytes: await readFile(file) })
  }
  return entries
}

/** A gzipped tar without times and owners, so that the same files give the same bytes. */
async function archive(entries: Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const { path, bytes, program } of entries)
    tar.entry({ name: path, mtime: new Date(0), mode: program ? 0o755 : 0o644 }, bytes)
  tar.finalize()
  return promisify(gzip)(await buffer(tar), { level: 9 })
}

/**
 * Writes an archive under a name that contains its hash, and returns the description that the control plane publishes.
 */
async function publish(name: string, version: string, entries: Entry[]) {
  const bytes = await archive(entries)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = `${name}-${version}-${sha256.slice(0, DIGITS_IN_NAME)}.tgz`
  await writeFile(join(target, file), bytes)
  return { file, version, sha256, bytes: bytes.length }
}

const START = `#!/usr/bin/env node
// Plain JavaScript so that an old Node can still say which one is needed.
const NEEDED_MAJOR = 24

const major = Number(process.versions.node.split('.')[0])
if (major < NEEDED_MAJOR) {
  process.stderr.write(\`svcd: needs Node \${NEEDED_MAJOR} or newer, this is \${process.versions.node}\\n\`)
  process.exit(78)
}

await import('../svcd.mjs')
`

/** The bundled daemon as an npm package without dependencies, which npm installs from its address alone. */
async function packDaemon() {
  const bundle = join(repository, 'daemon/dist/bundle')
  if (!existsSync(join(bundle, 'svcd.mjs'))) throw new Error('The daemon is not bundled: npm run build bundles it.')
  const { version } = JSON.parse(await readFile(join(bundle, 'package.json'), 'utf8')) as { version: string }
  const manifest = { name: 'svcd', version, type: 'module', bin: { svcd: 'bin/svcd.js' }, engines: { node: '>=24' } }
  const files = (await filesBelow(bundle, 'package')).filter(({ path }) => path !== 'package/package.json')
  return publish('svcd', version, [
    { path: 'package/package.json', bytes: Buffer.from(`${JSON.stringify(manifest)}\n`) },
    { path: 'package/bin/svcd.js', bytes: Buffer.from(START), program: true },
    ...files,
  ])
}

/** The chart of a self-hosted daemon, which Helm installs from an address. */
async function packChart() {
  const folder = join(repository, 'charts/svcd')
  const { name, version } = parse(await readFile(join(folder, 'Chart.yaml'), 'utf8')) as Record<string, string>
  return publish(`${name}-chart`, version ?? '', await filesBelow(folder, name ?? ''))
}

await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })
const index = { daemon: await packDaemon(), chart: await packChart() }
await writeFile(join(target, 'index.json'), `${JSON.stringify(index)}\n`)
