import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Folder with the files of a Debian package, fetched once into the user's cache. Nothing is installed and nothing is
 * started, so that it needs no rights and leaves no service behind. For programs that need no other package.
 */
export async function unpackDebianPackage(name: string): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-platform')
  const unpacked = join(cache, name)
  if (existsSync(unpacked)) return unpacked

  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, `${name}-`))
  try {
    const [lists, archives, files] = ['lists', 'cache', 'files'].map((part) => join(folder, part)) as [string, string, string] // prettier-ignore
    for (const part of [join(lists, 'partial'), join(archives, 'archives/partial'), files])
      await mkdir(part, { recursive: true })
    const state = [`Dir::State::lists=${lists}`, `Dir::Cache=${archives}`, 'Debug::NoLocking=1', 'APT::Sandbox::User=']
    const options = state.flatMap((option) => ['-o', option])
    await run('apt-get', [...options, 'update', '-qq'])
    await run('apt-get', [...options, 'download', '-qq', name], { cwd: folder })
    const archive = (await readdir(folder)).find((file) => file.endsWith('.deb')) ?? ''
    await run('dpkg', ['-x', join(folder, archive), files])
    await rename(files, unpacked)
    return unpacked
  } catch (error) {
    throw new Error(`The Debian package ${name} could not be fetched: ${(error as Error).message}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
