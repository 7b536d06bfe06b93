// `npm run test:cluster`: the platform's journey on a real Kubernetes node. Not part of `npm test`, because it needs
// root and Debian packages, or a cluster.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDaemonImages, buildPlatformImages } from './cluster-images.mjs'
import { allBuilds, ensureBuilds, ensureDependencies, root } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'
import { findMissingProgram } from './go-programs.mjs'
import { claimNode, mayHaveNode, NO_NODE } from './own-node.mjs'

const HELP = `npm run test:cluster [-- [--keep] [FILE ...]] tests operator, control plane and the daemon's image on a Kubernetes node.

Without KUBECONFIG it brings a node up on this machine (test/kubernetes/up.sh: root, Debian, Go), builds the images with
buildah, runs the tests and takes the node down again; --keep leaves it up, which makes the next run faster.
A FILE is a part of the name of a test file in test/cluster; without, all run.

With KUBECONFIG it uses that cluster, as its administrator, and needs to be told
  SVC_CLUSTER_IMAGES  images by digest that its nodes can pull, by space: of daemon/Dockerfile, the same as a later
                      version (another version in package.json), and one that ends at once
  SVC_CLUSTER_HOST    the address at which its pods reach this machine, which has to reach theirs
and leaves out the power cut of the node, which it has no right to, and the installations by Helm, which need images of the
platform.

Each test file keeps a log of every HTTP answer in .cache/answers.`

const packages = ['debootstrap', 'buildah']
const anyCluster = ['image.test.ts', 'isolation.test.ts', 'journey.test.ts']
const state = process.env.SVC_KUBERNETES_STATE ?? '/var/tmp/svc-kubernetes'
const script = (name) => join(root, 'test/kubernetes', name)

const asked = process.argv.slice(2)
const stop = (code, text) => {
  ;(code === 0 ? console.log : console.error)(text)
  process.exit(code)
}
if (asked.includes('--help')) stop(0, HELP)
const wanted = asked.filter((argument) => argument !== '--keep')
if (wanted.some((argument) => argument.startsWith('-'))) stop(64, HELP)

function givenCluster() {
  const missing = ['SVC_CLUSTER_IMAGES', 'SVC_CLUSTER_HOST'].filter((name) => !process.env[name])
  if (missing.length > 0) stop(78, `KUBECONFIG is set, but not ${missing.join(' and ')}.\n\n${HELP}`)
  return { environment: {}, files: wanted.length > 0 ? wanted : anyCluster, down: () => {} }
}

function installPackages() {
  const isInstalled = (name) =>
    spawnSync('dpkg-query', ['-Wf', '${db:Status-Status}', name], { encoding: 'utf8' }).stdout === 'installed'
  const missing = packages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  console.error(`  Installing ${missing.join(' and ')} from Debian …`)
  try {
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch {
    stop(
      NO_NODE,
      `${missing.join(' and ')} could not be installed from Debian. A cluster of your own will do:\n\n${HELP}`,
    )
  }
}

async function ownNode() {
  if (!mayHaveNode()) stop(NO_NODE, `There is no KUBECONFIG, and a node of our own needs root on Debian.\n\n${HELP}`)
  const inUse = claimNode(state)
  if (inUse !== undefined) stop(NO_NODE, inUse)
  installPackages()
  for (const name of ['Helm 3', 'versitygw']) {
    const missing = await findMissingProgram(name)
    if (missing !== undefined) stop(NO_NODE, missing)
  }
  const up = spawnSync(script('up.sh'), [state], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (up.status !== 0) stop(NO_NODE, `The node did not come up; the lines above say why.\n\n${HELP}`)

  const load = (archive) => execFileSync(script('load-image.sh'), [archive, state], { encoding: 'utf8' }).trim()
  const images = buildDaemonImages().map(load)
  const platformImages = buildPlatformImages().map(load)
  const [, host = '10.89.0.1'] = /^host_ip=(\S+)$/m.exec(readFileSync(join(state, 'settings'), 'utf8')) ?? []
  return {
    environment: {
      KUBECONFIG: up.stdout.trim(),
      SVC_CLUSTER_IMAGES: images.join(' '),
      SVC_CLUSTER_PLATFORM_IMAGES: platformImages.join(' '),
      SVC_CLUSTER_HOST: host,
      SVC_KUBERNETES_STATE: state,
    },
    files: wanted,
    down: () => asked.includes('--keep') || execFileSync(script('down.sh'), [state], { stdio: 'inherit' }),
  }
}

await ensureDependencies()
await ensureBuilds(process.env.KUBECONFIG ? undefined : allBuilds)
const { environment, files, down } = process.env.KUBECONFIG ? givenCluster() : await ownNode()
const code = await runInForeground(
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', ...files.map((name) => `test/cluster/${name}`)],
  environment,
)
down()
process.exit(code)
