// Builds images where no registry can be reached: with buildah and its own storage, on a base of Debian's packages and
// the Node of the npm package. Keeps the base in the user's cache, and writes archives that a node can import.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cached } from './cache.mjs'
import { root } from './ensure.mjs'
import { NO_NODE } from './own-node.mjs'

const DEBIAN = 'bookworm'
// Files that a container's base does not need; Debian's slim images leave out the same.
const LEFT_OUT = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/cache/apt',
  'var/lib/apt/lists',
]

export const cache = cached('images')
const storage = ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run'), '--storage-driver', 'vfs']
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Runs a command to its end and returns its output; on failure the process names the step and ends with `code`. */
function step(title, command, args, code = 1) {
  const since = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ''}${stderr ?? error?.message}\nThe step “${title}” failed (${command}).\n`)
    process.exit(code)
  }
  if (title !== '') process.stderr.write(`  ${title}: done in ${seconds(since)}\n`)
  return stdout.trim()
}

export const buildah = (title, ...args) => step(title, 'nice', ['buildah', ...storage, ...args])
const isThere = (image) => spawnSync('buildah', [...storage, 'inspect', '--type', 'image', image]).status === 0

/** The base image for the Dockerfile, made once per version of Node. */
export function baseImage() {
  const node = createRequire(join(root, 'package.json')).resolve('node/bin/node')
  const { version } = JSON.parse(readFileSync(join(dirname(dirname(node)), 'package.json'), 'utf8'))
  const image = `localhost/node:${version}-${DEBIAN}`
  if (isThere(image)) return image

  const rootfs = join(cache, 'rootfs')
  if (!existsSync(join(rootfs, 'complete'))) {
    rmSync(rootfs, { recursive: true, force: true })
    step(
      'Making a base image of Debian packages',
      'nice',
      ['debootstrap', '--variant=minbase', DEBIAN, rootfs],
      NO_NODE,
    )
    for (const path of LEFT_OUT) rmSync(join(rootfs, path), { recursive: true, force: true })
    writeFileSync(join(rootfs, 'complete'), '')
  }
  copyFileSync(node, join(rootfs, 'usr/local/bin/node'))
  const container = buildah('', 'from', 'scratch')
  buildah('', 'add', '--quiet', container, rootfs, '/')
  buildah('', 'config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container)
  buildah('Adding Node to it', 'commit', '--quiet', '--rm', container, image)
  return image
}

/** Bytes that an image adds to its base, as a registry stores it: its last layer. */
function ownBytes(archive) {
  const read = (path) => JSON.parse(step('', 'tar', ['-xOf', archive, path]))
  const [{ digest }] = read('index.json').manifests
  return read(`blobs/${digest.replace(':', '/')}`).layers.at(-1).size
}

/**
 * Builds one image; returns the OCI archive that contains it. The Dockerfile gets `from` as its BASE_IMAGE. The image
 * may add at most `limitMegabytes` to it.
 */
export function buildArchive({ name, context, dockerfile, from, folder, limitMegabytes = Infinity }) {
  const archive = join(folder, `${name.split('/').at(-1).replace(':', '-')}.tar`)
  const settings = ['--isolation', 'chroot', '--quiet', '--build-arg', `BASE_IMAGE=${from}`, '--file', dockerfile]
  buildah(`Building ${name}`, 'bud', ...settings, '--layers=false', '--timestamp', '0', '--tag', name, context)
  buildah('', 'push', '--quiet', name, `oci-archive:${archive}:${name}`)
  const megabytes = ownBytes(archive) / 1e6
  if (megabytes > limitMegabytes) {
    process.stderr.write(
      `${name} adds ${megabytes.toFixed(1)} MB to its base; at most ${limitMegabytes} are allowed.\n`,
    )
    process.exit(1)
  }
  return archive
}

/**
 * Runs `build` with an empty folder for its archives when an input has changed; otherwise returns the result of the
 * last run.
 */
export function buildOnce({ kind, inputs, build }) {
  const folder = join(cache, kind)
  const marker = join(folder, 'built.json')
  const hash = createHash('sha256')
  for (const input of inputs) hash.update(input)
  const input = hash.digest('hex')
  const before = existsSync(marker) ? JSON.parse(readFileSync(marker, 'utf8')) : {}
  if (before.input === input) return before.archives

  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archives = build(folder)
  buildah('', 'rmi', '--prune')
  writeFileSync(marker, JSON.stringify({ input, archives }))
  return archives
}
