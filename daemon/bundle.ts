import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { bundlePrograms, PROGRAMS } from '../setup/bundle-programs.ts'
import { lateBuiltins } from '../setup/late-builtins.ts'
import { loadTogether } from '../setup/load-together.ts'

const here = dirname(fileURLToPath(import.meta.url))
const sources = join(here, 'src')

// A start loads these one after the other: what answers health, the log, the relay, the vaults; then the first request, or a
// wake, the parts of the routes.
const STAGES = [
  'main.ts',
  'daemon-log.ts',
  'start-daemon.ts',
  'compose-relay.ts',
  'start-app.ts',
  'http/http-server.ts',
  'compose-verbs.ts',
  'app.ts',
]
// A daemon whose notes are changed by other programs only parses: it keeps nothing that edits in memory.
const PARTS = ['note-jobs/read-jobs.ts']
const inSources = (file: string): string => join(sources, file)
const together = loadTogether({ stages: STAGES.map(inSources), parts: PARTS.map(inSources) })

/** Gives each source of ours the address that it has in the tree, and each program that it starts a file of its own. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform(code, id) {
    if (!id.startsWith(sources) || !code.includes('import.meta.url')) return undefined
    const started = code.replaceAll(
      /new URL\((['"])(\.{1,2}\/[\w./-]+)\.ts\1,\s*import\.meta\.url\)/g,
      (_all, _quote, path: string) => {
        const file = resolve(dirname(id), `${path}.ts`)
        together.addProgram(file)
        this.emitFile({ type: 'chunk', id: file, fileName: `${PROGRAMS}/${basename(path)}.mjs` })
        return `new URL('./${basename(path)}.mjs', BUNDLED_CHUNK)`
      },
    )
    const address = `new URL('../src/${relative(sources, id)}', import.meta.url).href`
    return started.replaceAll('import.meta.url', address).replaceAll('BUNDLED_CHUNK', 'import.meta.url')
  },
}

// What V8 has compiled is kept for the next start. A process that is killed would never write it, so it is written once
// the start is over.
const START = `const { keepCompiledCode } = await import('./compile-cache.js')
keepCompiledCode()
const { run } = await import('./${PROGRAMS}/main.mjs')
await run(process.argv.slice(2))
setTimeout(() => process.getBuiltinModule('node:module').flushCompileCache(), 5000).unref()
`

/** Builds the daemon into one folder that runs without node_modules: `node <target>/svcd.mjs`. */
export async function bundleDaemon({ target, ui }: { target: string; ui: string | undefined }): Promise<void> {
  const bundle = {
    part: 'daemon',
    programs: { main: 'src/main.ts' },
    target,
    plugins: [ownAddresses, lateBuiltins, together.plugin],
    groups: [together.group],
  }
  await bundlePrograms(bundle, async (folder) => {
    await writeFile(join(folder, 'svcd.mjs'), START)
    await cp(join(here, 'fill-cache.mjs'), join(folder, 'fill-cache.mjs'))
    await cp(join(here, 'bin/compile-cache.js'), join(folder, 'compile-cache.js'))
    if (ui === undefined) return
    await cp(ui, join(folder, 'dist/ui'), { recursive: true })
    await cp(join(here, 'dist/diagram'), join(folder, 'dist/diagram'), { recursive: true })
  })
}

if (import.meta.main) {
  const ui = join(here, 'dist/ui')
  if (!existsSync(ui)) {
    process.stderr.write('The web UI of the daemon is not built: run npm run build --workspace @svc/daemon first.\n')
    process.exit(1)
  }
  await bundleDaemon({ target: join(here, 'dist/bundle'), ui })
}
