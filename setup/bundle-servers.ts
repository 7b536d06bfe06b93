import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundlePrograms, PROGRAMS, repository } from './bundle-programs.ts'

/**
 * The dependencies that a part ships, from npm's own list; without times and serial numbers, so that the same sources
 * give the same file.
 */
async function billOfMaterials(part: string): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', `--workspace=@svc/${part}`]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: repository, maxBuffer: 2 ** 27 })
  const { serialNumber: _serial, metadata, ...bill } = JSON.parse(stdout) as { serialNumber: string; metadata: object }
  return `${JSON.stringify({ ...bill, metadata: { ...metadata, timestamp: undefined } })}\n`
}

async function writeProgram(file: string, text: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text)
  await chmod(file, 0o755)
}

/** Builds the control plane with its web app and `svc-admin` into `control-plane/dist/bundle`. */
async function bundleControlPlane(): Promise<void> {
  const web = join(repository, 'control-plane/dist/web')
  if (!existsSync(web))
    throw new Error('The web app is not built: npm run build --workspace @svc/control-plane builds it.')
  const downloads = join(repository, 'control-plane/dist/download')
  if (!existsSync(downloads)) throw new Error('The daemon is not packed for download: npm run build packs it.')
  const programs = { main: 'src/main.ts', 'svc-admin': 'src/cli/svc-admin.ts' }
  const target = join(repository, 'control-plane/dist/bundle')
  await bundlePrograms({ part: 'control-plane', programs, target }, async (folder) => {
    await cp(web, join(folder, 'dist/web'), { recursive: true })
    await cp(join(repository, 'control-plane/dist/diagram'), join(folder, 'dist/diagram'), { recursive: true })
    await cp(downloads, join(folder, 'dist/download'), { recursive: true })
    await writeFile(join(folder, 'sbom.cdx.json'), await billOfMaterials('control-plane'))
    await writeProgram(
      join(folder, 'bin/svc-admin'),
      `#!/usr/bin/env node
import { runCommand } from '/app/${PROGRAMS}/svc-admin.mjs'
const { stdin, stdout, stderr } = process
process.exitCode = await runCommand({ argv: process.argv.slice(2), env: process.env, terminal: { stdin, stdout, stderr } })
`,
    )
  })
}

/** Builds the operator into `operator/dist/bundle`. */
async function bundleOperator(): Promise<void> {
  const target = join(repository, 'operator/dist/bundle')
  await bundlePrograms({ part: 'operator', programs: { main: 'src/main.ts' }, target }, async (folder) => {
    await writeFile(join(folder, 'sbom.cdx.json'), await billOfMaterials('operator'))
  })
}

/** Starts a bundled program once, so that a bundle that cannot load fails here and not in an image. */
async function expectStarts(part: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(repository, part, 'dist/bundle', PROGRAMS, 'main.mjs'), '--help'])
}

await bundleControlPlane()
await bundleOperator()
for (const part of ['control-plane', 'operator']) await expectStarts(part)
