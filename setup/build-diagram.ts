// Builds the script of the diagram page, compressed, for the two servers that have one: daemon/dist/diagram and
// control-plane/dist/diagram.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { build } from 'vite'
import { repository } from './bundle-programs.ts'

const sources = join(repository, 'shared/diagram')
const parts = ['daemon', 'control-plane']
// The best quality takes ten times as long and saves a tenth.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 } }

const folder = await mkdtemp(join(repository, 'shared/.diagram-'))
try {
  await build({
    configFile: false,
    root: sources,
    logLevel: 'warn',
    define: { 'import.meta': '{}' },
    resolve: { alias: { katex: join(sources, 'no-formulas.browser.ts') } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 6000,
      // One classic script: the page has an opaque origin, and a module would be fetched with CORS.
      rolldownOptions: {
        input: { diagram: join(sources, 'draw-diagrams.browser.ts') },
        output: { format: 'iife', entryFileNames: '[name]-[hash].js', codeSplitting: false },
      },
    },
  })
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file), BROTLI))
    await rm(file)
  }
  for (const part of parts) {
    const target = join(repository, part, 'dist/diagram')
    await rm(target, { recursive: true, force: true })
    await mkdir(target, { recursive: true })
    for (const name of await readdir(folder)) await copyFile(join(folder, name), join(target, name))
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
