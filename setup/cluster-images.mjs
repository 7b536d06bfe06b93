// The images of the cluster tests. From `daemon/Dockerfile`: this build, the same as a later version, one that exits at
// once, one that is never ready, and one that starts on some volumes only. For the platform: control plane, the same
// with one more migration, operator, and a Postgres and Redis from Debian.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { baseImage, buildArchive, buildOnce } from './buildah.mjs'
import { projectNode, root } from './ensure.mjs'

// The most that each image may add to its base, compressed: half as much again as it adds now.
const LIMITS = { 'control-plane': 20, operator: 2.5, daemon: 12 }

const at = (path) => join(root, path)
const contents = (...paths) => paths.map((path) => readFileSync(at(path)))

/** Runs `work` with a folder that exists as long as the work runs. */
function withFolder(work) {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-images-'))
  try {
    return work(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

// Keeps running, and never responds.
const DEAF = 'ENTRYPOINT ["node", "-e", "setInterval(() => {}, 1000)"]'
// Exits at once on a volume that has a file of this name.
const PICKY = `COPY picky.mjs /app/picky.mjs
ENTRYPOINT ["node", "/app/picky.mjs"]`
const PICKY_PROGRAM = `import { existsSync } from 'node:fs'
if (existsSync(process.env.SVC_HOME + '/.refuse-picky')) process.exit(3)
await import('/app/svcd.mjs')
`

/** The images of the daemon, as archives. */
export function buildDaemonImages() {
  const base = baseImage()
  const inputs = contents(
    'daemon/Dockerfile',
    'daemon/dist/.bundled',
    'daemon/dist/.ui-built',
    'setup/cluster-images.mjs',
  )
  const build = (folder) =>
    withFolder((scratch) => {
      const svcd = 'localhost/svcd:this'
      const bundle = at('daemon/dist/bundle')
      const archive = buildArchive({
        name: svcd,
        context: bundle,
        dockerfile: at('daemon/Dockerfile'),
        from: base,
        folder,
        limitMegabytes: LIMITS.daemon,
      })
      const { version, ...manifest } = JSON.parse(readFileSync(join(bundle, 'package.json'), 'utf8'))
      writeFileSync(join(scratch, 'package.json'), JSON.stringify({ ...manifest, version: `${version}-next` }))
      writeFileSync(join(scratch, 'picky.mjs'), PICKY_PROGRAM)
      const variants = [
        ['next', 'COPY package.json /app/package.json'],
        ['bad', 'ENTRYPOINT ["node", "-e", "process.exit(3)"]'],
        ['deaf', DEAF],
        ['picky', PICKY],
      ].map(([tag, instruction]) => {
        const dockerfile = join(scratch, `${tag}.Dockerfile`)
        writeFileSync(dockerfile, `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\n${instruction}\n`)
        return buildArchive({ name: `localhost/svcd:${tag}`, context: scratch, dockerfile, from: svcd, folder })
      })
      return [archive, ...variants]
    })
  return buildOnce({ kind: 'daemon', inputs: [base, ...inputs], build })
}

const TRIAL = `ARG BASE_IMAGE
FROM \${BASE_IMAGE}
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql redis-server >/dev/null \\
    && rm -rf /var/lib/apt/lists /var/lib/postgresql/* && useradd --uid 999 --user-group database
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin
`

/** The database of a trial, from Debian's packages alone, so changes of the platform do not rebuild it. */
function buildTrialImage(base) {
  const build = (folder) =>
    withFolder((scratch) => {
      const dockerfile = join(scratch, 'Dockerfile')
      writeFileSync(dockerfile, TRIAL)
      return [buildArchive({ name: 'localhost/trial:1', context: scratch, dockerfile, from: base, folder })]
    })
  return buildOnce({ kind: 'trial', inputs: [base, TRIAL], build })
}

/** Control plane, the same as a later version with one more migration, operator, and the database of a trial. */
export function buildPlatformImages() {
  const base = baseImage()
  const inputs = contents(
    'control-plane/Dockerfile',
    'operator/Dockerfile',
    'control-plane/dist/.bundled',
    'setup/cluster-images.mjs',
    'test/support/next-control-plane.ts',
  )
  const build = (folder) =>
    withFolder((scratch) => {
      const image = (name, part, context = at(`${part}/dist/bundle`)) =>
        buildArchive({
          name: `localhost/${name}`,
          context,
          dockerfile: at(`${part}/Dockerfile`),
          from: base,
          folder,
          limitMegabytes: LIMITS[part],
        })
      const next = join(scratch, 'next')
      execFileSync(projectNode, [at('test/support/next-control-plane.ts'), next], { cwd: root, stdio: 'inherit' })
      return [
        image('svc-control-plane:this', 'control-plane'),
        image('svc-control-plane:next', 'control-plane', next),
        image('svc-operator:this', 'operator'),
      ]
    })
  return [...buildOnce({ kind: 'platform', inputs: [base, ...inputs], build }), ...buildTrialImage(base)]
}
