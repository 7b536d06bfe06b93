import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type CodeSplittingGroup, type Plugin } from 'rolldown'
import { oneByteSource } from './one-byte-source.ts'
import { plainBuiltins } from './plain-builtins.ts'

export const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Folder of the programs in a bundle. It is one level below the bundle's root, as sources are in `src/`, so what a
 * source finds relative to itself (package.json, a built UI) it also finds from a bundle.
 */
export const PROGRAMS = 'app'

type Bundle = {
  part: string
  programs: Record<string, string>
  target: string
  plugins?: Plugin[]
  /** Which modules share a file; the bundler decides about the others. */
  groups?: CodeSplittingGroup[]
}

/**
 * Bundles programs of a part into a folder that runs without node_modules. `complete` adds the other files; only then
 * does the folder replace an earlier one.
 */
export async function bundlePrograms(
  { part, programs, target, plugins = [], groups = [] }: Bundle,
  complete: (folder: string) => Promise<void>,
): Promise<void> {
  const fresh = `${target}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })

  const build = await rolldown({
    input: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, join(repository, part, file)])),
    platform: 'node',
    // Groups need it: a file of a program may export more than the program.
    preserveEntrySignatures: 'allow-extension',
    plugins: [plainBuiltins, ...plugins],
    onLog: (level, log, print) => {
      if (log.code === 'UNRESOLVED_IMPORT' && !OPTIONAL.test(log.message)) throw new Error(log.message)
      if (level === 'warn' && log.code !== 'UNRESOLVED_IMPORT' && log.code !== 'EVAL') print('warn', log)
    },
  })
  const { output } = await build.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: `${PROGRAMS}/[name].mjs`,
    chunkFileNames: `${PROGRAMS}/[name]-[hash].mjs`,
    sourcemap: false,
    // Remove doc comments, because sources stay in memory while they run. Licences stay.
    comments: { jsdoc: false },
    codeSplitting: { groups },
  })
  await build.close()
  for (const file of output)
    if (file.type === 'chunk') await writeFile(join(fresh, file.fileName), oneByteSource(file.code))

  const manifest = await readFile(join(repository, part, 'package.json'), 'utf8')
  const { name, version } = JSON.parse(manifest) as Record<string, string>
  await writeFile(join(fresh, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`)
  await complete(fresh)
  await rm(target, { recursive: true, force: true })
  await rename(fresh, target)
}

// Packages that a library uses if they are installed: faster WebSocket masks, native Postgres, drivers of other
// databases.
const OPTIONAL = /optional|bufferutil|utf-8-validate|pg-native|pg-cloudflare/
