import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The content of the files outside the vault: no response may show it. */
export const SECRET = 'the secret of the canary'

/**
 * A file of a vault that is not what it seems. `served`: the path is that of a regular file of the vault, or may become one.
 */
export type Trap = { path: string; served: boolean }

/**
 * Fills a home with canaries, and its vault `v` with files that lead out of the vault, block a reader, or have names
 * that are only legal on other systems.
 */
export async function writeHostileHome(home: string): Promise<{ traps: Trap[]; close(): Promise<void> }> {
  const [canary, vault, other] = [join(home, 'canary'), join(home, 'vaults/v'), join(home, 'vaults/other')]
  await mkdir(join(canary, 'deep'), { recursive: true })
  await mkdir(join(vault, 'sub'), { recursive: true })
  await mkdir(other, { recursive: true })
  for (const path of [join(canary, 'secret.md'), join(canary, 'deep/secret.bin'), join(other, 'secret.md')])
    await writeFile(path, `${SECRET}\n`)
  await writeFile(join(canary, 'hard.md'), 'shared by a hard link\n')
  await writeFile(join(vault, 'README.md'), '# Read me\n\n[[sub/note]]\n')
  await writeFile(join(vault, 'sub/note.md'), 'a note\n')
  await writeFile(join(vault, 'source.md'), 'to be moved\n')

  const at = (path: string) => join(vault, path)
  await symlink(join(canary, 'secret.md'), at('out.md'))
  await symlink('../../canary/secret.md', at('relative.md'))
  await symlink(canary, at('outdir'))
  await symlink('..', at('up'))
  await symlink('self.md', at('self.md'))
  await symlink(join(canary, 'new.md'), at('dangling.md'))
  await symlink('README.md', at('inside.md'))
  await symlink('sub', at('insidedir'))
  await symlink('/dev/zero', at('zero.md'))
  await symlink('/proc/self/environ', at('environ.md'))
  for (const name of ['fifo.md', 'fifo.bin']) await run('mkfifo', [at(name)])
  const socket = createServer()
  await new Promise<void>((resolve) => socket.listen(at('socket.md'), resolve))
  // Only root may create a device.
  const hasDevice = await run('mknod', [at('device.md'), 'c', '1', '5']).then(
    () => true,
    () => false,
  )
  await link(join(canary, 'hard.md'), at('hard.md'))
  await mkdir(at('folder.md'))
  await writeFile(at('folder.md/inner.md'), 'below a folder that is named as a note\n')
  await writeFile(at(`${'n'.repeat(252)}.md`), 'a name of 255 bytes\n')
  await writeFile(at(`${'漢'.repeat(84)}.md`), 'a name of 255 bytes in other letters\n')
  for (const [name, text] of [
    ['Twin.md', '1'],
    ['twin.md', '2'],
    ['é.md', '3'],
    ['e\u0301.md', '4'],
    ['cafe\u0301.md', '5'],
  ])
    await writeFile(at(name!), `${text}\n`)
  for (const name of ['CON.md', 'back\\slash.md', 'new\nline.md', 'bell\u0007.md', 'a:b.md', 'ends ', '.hidden.md'])
    await writeFile(at(name), 'a name\n')
  await writeFile(Buffer.concat([Buffer.from(at('bad-')), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), 'a name\n')

  const gone = [
    'out.md',
    'relative.md',
    'outdir',
    'outdir/secret.md',
    'outdir/new.md',
    'outdir/deep/secret.bin',
    'up/other/secret.md',
    'up/v/README.md',
    'self.md',
    'self.md/x.md',
    'dangling.md',
    'inside.md',
    'insidedir/note.md',
    'zero.md',
    'environ.md',
    'fifo.md',
    'fifo.bin',
    'fifo.md/x.md',
    'socket.md',
    'README.md/x.md',
    'back\\slash.md',
    'new\nline.md',
    'bell\u0007.md',
    '.hidden.md',
  ]
  const served = [
    'hard.md',
    `${'n'.repeat(252)}.md`,
    `${'漢'.repeat(84)}.md`,
    'Twin.md',
    'twin.md',
    'é.md',
    'e\u0301.md',
    'cafe\u0301.md',
    'café.md',
    'CON.md',
    'a:b.md',
    'ends ',
    'folder.md',
    'folder.md/inner.md',
    // A legal name. The file whose bytes are read as this name is another one, and is not served.
    'bad-\ufffd\ufffd.md',
  ]
  return {
    traps: [
      ...gone.map((path) => ({ path, served: false })),
      // Without a device it is a name as any other. It has the same place, so that root and others try the same calls.
      { path: 'device.md', served: !hasDevice },
      ...served.map((path) => ({ path, served: true })),
    ],
    close: () => closed(socket),
  }
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** Every entry outside the vault `v`, except the daemon's own files: kind, times and bytes. */
export async function outsideOf(home: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const roots = [join(home, 'canary'), join(home, 'vaults/other')]
  for (const root of roots)
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const { mode, mtimeMs, ino, size } = await lstat(path)
      const bytes = entry.isFile() ? await readFile(path) : Buffer.alloc(0)
      // The time of a folder changes when an entry is added or removed, so such a change is detected too.
      found[path] = [mode, mtimeMs, ino, size, createHash('sha256').update(bytes).digest('hex')].join(' ')
    }
  for (const name of await readdir(home)) found[name] = 'in the home'
  for (const name of await readdir(join(home, 'vaults'))) found[`vaults/${name}`] = 'a vault'
  return found
}
