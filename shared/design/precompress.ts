import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressed = { br: promisify(brotliCompress), gz: promisify(gzip) }
const TEXT = /\.(?:js|css|svg|html)$/

/**
 * A step of both builds: writes `.br` and `.gz` beside each text file, so that servers need not compress. Fonts and
 * pictures are compressed already.
 */
export function precompress() {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build' as const,
    configResolved(config: { root: string; build: { outDir: string } }) {
      folder = resolve(config.root, config.build.outDir)
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      for (const entry of entries) {
        if (!entry.isFile() || !TEXT.test(entry.name)) continue
        const file = join(entry.parentPath, entry.name)
        const content = await readFile(file)
        const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }
        await writeFile(`${file}.br`, await compressed.br(content, options))
        await writeFile(`${file}.gz`, await compressed.gz(content, { level: 9 }))
      }
    },
  }
}
