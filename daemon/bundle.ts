import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const here = dirname(fileURLToPath(import.meta.url))
const sources = join(here, 'src')

// Chunks lie in `app/`, one level below the root, as sources lie in `src/`: what a source finds relative to itself
// (package.json, the built UI) it finds from the same place inside the bundle.
const CHUNKS = 'app'

/** Gives each source of ours the address that it has in the tree, and each program that it starts a file of its own. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform(code, id) {
    if (!id.startsWith(sources) || !code.includes('import.meta.url')) return undefined
    const started = code.replaceAll(
      /new URL\((['"])(\.{1,2}\/[\w./-]+)\.ts\1,\s*import\.meta\.url\)/g,
      (_all, _quote, path: string) => {
        const file = resolve(dirname(id), `${path}.ts`)
        this.emitFile({ type: 'chunk', id: file, fileName: `${CHUNKS}/${basename(path)}.mjs` })
        return `new URL('./${basename(path)}.mjs', BUNDLED_CHUNK)`
      },
    )
    const address = `new URL('../src/${relative(sources, id)}', import.meta.url).href`
    return started.replaceAll('import.meta.url', address).replaceAll('BUNDLED_CHUNK', 'import.meta.url')
  },
}

/** Builds the daemon into one folder that runs without node_modules: `node <target>/svcd.mjs`. */
export async function bundleDaemon({ target, ui }: { target: string; ui: string | undefined }): Promise<void> {
  const fresh = `${target}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })

  const build = await rolldown({
    input: { main: join(sources, 'main.ts') },
    platform: 'node',
    plugins: [ownAddresses],
    onLog: (level, log, print) => {
      if (log.code === 'UNRESOLVED_IMPORT' && !/optional|bufferutil|utf-8-validate/.test(log.message))
        throw new Error(log.message)
      if (level === 'warn' && log.code !== 'UNRESOLVED_IMPORT' && log.code !== 'EVAL') print('warn', log)
    },
  })
  await build.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: `${CHUNKS}/[name].mjs`,
    chunkFileNames: `${CHUNKS}/[name]-[hash].mjs`,
    sourcemap: false,
  })
  await build.close()

  const { name, version } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8')) as Record<string, string>
  await writeFile(join(fresh, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`)
  const start = `import { run } from './${CHUNKS}/main.mjs'\nawait run(process.argv.slice(2))\n`
  await writeFile(join(fresh, 'svcd.mjs'), start)
  if (ui !== undefined) await cp(ui, join(fresh, 'dist/ui'), { recursive: true })

  await rm(target, { recursive: true, force: true })
  await rename(fresh, target)
}

if (import.meta.main) {
  const ui = join(here, 'dist/ui')
  if (!existsSync(ui)) {
    process.stderr.write('The web UI of the daemon is not built: run npm run build --workspace @svc/daemon first.\n')
    process.exit(1)
  }
  await bundleDaemon({ target: join(here, 'dist/bundle'), ui })
}
