import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'
import { cachedOnce } from '../../setup/cache.mjs'

const run = promisify(execFile)

/** How to start headless Chromium. */
export type ChromiumProgram = { executablePath: string; env: Record<string, string> }

const packaged = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')))

/** The fonts of the package, in addition to those of the system. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

const open = (name: string) => [createReadStream(join(packaged, 'bin', name)), createBrotliDecompress()] as const

/**
 * Unpacks through a file instead of a pipe: tar exits at the end mark of the archive before it has read the whole pipe,
 * and writing to the pipe would then fail.
 */
async function unpackArchive(name: string, folder: string) {
  const archive = join(folder, name.replace(/\.br$/, ''))
  await pipeline(...open(name), createWriteStream(archive))
  await run('tar', ['-x', '--no-same-owner', '-f', archive, '-C', folder])
  await rm(archive)
}

async function unpack(folder: string) {
  const program = join(folder, 'chromium')
  await pipeline(...open('chromium.br'), createWriteStream(program))
  await chmod(program, 0o755)
  await unpackArchive('al2023.tar.br', folder) // shared libraries that a server may lack: lib/
  await unpackArchive('fonts.tar.br', folder)
  await writeFile(join(folder, 'fonts.conf'), FONTS)
}

/**
 * The Chromium from npm, unpacked once into the user's cache with the libraries and fonts that it needs, so that every
 * machine tests the same browser. SVC_TEST_CHROMIUM names another one.
 */
export async function chromiumProgram(): Promise<ChromiumProgram> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const named = process.env.SVC_TEST_CHROMIUM
  if (named) {
    if (!existsSync(named)) throw new Error(`SVC_TEST_CHROMIUM names ${named}, which does not exist`)
    return { executablePath: named, env }
  }
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`npm brings Chromium for Linux on x64 alone; name a Chromium in SVC_TEST_CHROMIUM`)

  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string }
  const folder = await cachedOnce(`chromium-${version}`, unpack)
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...env, LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}
