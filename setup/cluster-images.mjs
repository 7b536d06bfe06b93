// Makes the images of the cluster tests where no registry can be asked: a base of Debian's own packages and the Node of
// the npm package, kept in the user's cache, and on it three images of `daemon/Dockerfile`: this build, the same as a
// later version, and one that ends at once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cached } from './cache.mjs'
import { root } from './ensure.mjs'

const REPOSITORY = 'localhost/svcd'
const DEBIAN = 'bookworm'
// What a base of containers does not need; the slim images of Debian leave out the same.
const LEFT_OUT = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'var/cache/apt', 'var/lib/apt/lists'] // prettier-ignore

const cache = cached('images')
const storage = ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run'), '--storage-driver', 'vfs']
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Runs a command to its end and answers what it said; the process ends with the step named if it fails. */
function step(title, command, args) {
  const since = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ''}${stderr ?? error?.message}\nThe step “${title}” failed (${command}).\n`)
    process.exit(1)
  }
  if (title !== '') process.stderr.write(`  ${title}: done in ${seconds(since)}\n`)
  return stdout.trim()
}

const buildah = (title, ...args) => step(title, 'nice', ['buildah', ...storage, ...args])
const isThere = (image) => spawnSync('buildah', [...storage, 'inspect', '--type', 'image', image]).status === 0

/** The image that the Dockerfile builds on here, made once per version of Node. */
function baseImage() {
  const node = createRequire(join(root, 'package.json')).resolve('node/bin/node')
  const { version } = JSON.parse(readFileSync(join(dirname(dirname(node)), 'package.json'), 'utf8'))
  const image = `localhost/node:${version}-${DEBIAN}`
  if (isThere(image)) return image

  const rootfs = join(cache, 'rootfs')
  if (!existsSync(join(rootfs, 'complete'))) {
    rmSync(rootfs, { recursive: true, force: true })
    step('Making a base image of Debian packages', 'nice', ['debootstrap', '--variant=minbase', DEBIAN, rootfs])
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

/** Hash over everything that the images are made of. */
function inputs(base) {
  const hash = createHash('sha256').update(base)
  for (const path of ['daemon/Dockerfile', 'daemon/dist/.bundled', 'daemon/dist/.ui-built', 'setup/cluster-images.mjs'])
    hash.update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Builds the images where their input has changed; answers the OCI archives that hold them, in their order. */
export function buildImages() {
  const archives = join(cache, 'archives')
  const archiveOf = (tag) => join(archives, `${tag}.tar`)
  const built = ['this', 'next', 'bad'].map(archiveOf)
  const base = baseImage()
  const marker = join(archives, 'input')
  const input = inputs(base)
  if (existsSync(marker) && readFileSync(marker, 'utf8') === input) return built

  rmSync(archives, { recursive: true, force: true })
  mkdirSync(archives, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'svc-images-'))
  const build = ({ tag, context, dockerfile, from }) => {
    const name = `${REPOSITORY}:${tag}`
    const settings = ['--isolation', 'chroot', '--quiet', '--build-arg', `BASE_IMAGE=${from}`, '--file', dockerfile]
    buildah(`Building ${name}`, 'bud', ...settings, '--layers=false', '--tag', name, context)
    buildah('', 'push', '--quiet', name, `oci-archive:${archiveOf(tag)}:${name}`)
    return name
  }
  try {
    const bundle = join(root, 'daemon/dist/bundle')
    const svcd = build({ tag: 'this', context: bundle, dockerfile: join(root, 'daemon/Dockerfile'), from: base })
    const { version, ...manifest } = JSON.parse(readFileSync(join(bundle, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: `${version}-next` }))
    for (const [tag, instruction] of [
      ['next', 'COPY package.json /app/package.json'],
      ['bad', 'ENTRYPOINT ["node", "-e", "process.exit(3)"]'],
    ]) {
      const dockerfile = join(folder, `${tag}.Dockerfile`)
      writeFileSync(dockerfile, `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\n${instruction}\n`)
      build({ tag, context: folder, dockerfile, from: svcd })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  buildah('', 'rmi', '--prune')
  writeFileSync(marker, input)
  return built
}
