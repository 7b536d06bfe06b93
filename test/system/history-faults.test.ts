import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { frameOf } from '../../daemon/src/history/queue-frames.ts'
import { verifies } from '../requirements.ts'
import { memoryVault } from '../support/history.ts'
import { until } from '../support/until.ts'

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

const queue = () => `${vault.gitDir}.queue`
const damaged = async () => (await readdir(dirname(vault.gitDir))).filter((name) => name.includes('.damaged-'))
const said = (text: string) => vault.logged.filter(({ msg }) => msg.includes(text))

/** Advances the clock beyond the pause after a failure, and writes. */
async function recovered(): Promise<void> {
  await until('the history is written again', async () => {
    vault.pass(60_000)
    await vault.history.commitAll()
    return vault.history.state() === 'ready'
  })
  await vault.history.commitAll()
}

test('the authors of changes that are not in git yet survive a kill, each once', async () => {
  verifies('history.queue')
  vault.put('a.md', 'one\n', 'Ann')
  vault.put('a.md', 'two\n', 'Ben')
  vault.put('b.md', 'other\n', 'Cem')
  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('a.md')).toEqual(['Ben a.md two', 'Ann a.md one'])
  expect(await vault.texts('b.md')).toEqual(['Cem b.md other'])
  expect(statSync(queue()).size).toBe(0)

  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('a.md')).toHaveLength(2)
})

test('a kill between git and the queue writes no revision twice', async () => {
  verifies('history.queue')
  vault.put('a.md', 'one\n', 'Ann')
  vault.put('a.md', 'two\n', 'Ben')
  vault.put('a.md', 'one\n', 'Ann')
  const before = await readFile(queue())
  await vault.history.commitAll()
  // Restore the queue of the moment when git had finished: the changes, and the marker of their batch.
  const log = vault.git('log', '--format=%B', 'main')
  const batch = /Svc-Batch: (\S+)/.exec(log)?.[1]
  expect(batch).toBeDefined()
  await writeFile(queue(), Buffer.concat([before, frameOf({ kind: 'batch', batch: batch!, ids: [0, 1, 2] })]))
  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one', 'Ben a.md two', 'Ann a.md one'])
})

test('a torn end of the queue costs that change alone, and the next ones are queued after it', async () => {
  verifies('history.queue')
  vault.put('a.md', 'one\n', 'Ann')
  const whole = statSync(queue()).size
  vault.put('b.md', 'two\n', 'Ben')
  await truncate(queue(), whole + 20)
  await vault.killed()
  await vault.history.commitAll()
  vault.put('c.md', 'three\n', 'Cem')
  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one'])
  expect(await vault.texts('b.md')).toEqual(['Outside edit b.md two'])
  expect(await vault.texts('c.md')).toEqual(['Cem c.md three'])
})

test('a foreign file in the place of the queue stops nothing', async () => {
  await mkdir(join(queue(), 'folder'), { recursive: true })
  await vault.killed()
  vault.put('a.md', 'one\n')
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one'])
  expect(vault.history.state()).toBe('ready')
})

test('what a killed git leaves behind or half done stops nothing', async () => {
  verifies('history.locks')
  vault.put('a.md', 'one\n')
  await vault.history.commitAll()
  await rm(join(vault.gitDir, 'HEAD'))
  await writeFile(join(vault.gitDir, 'config'), '[core\n')
  const left = ['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock', 'refs/heads/main.lock']
  left.push('objects/info/commit-graphs/commit-graph-chain.lock', 'objects/pack/tmp_pack_x', 'fast_import_crash_1')
  for (const name of left) await writeFile(join(vault.gitDir, name), '')
  await vault.killed()
  vault.put('a.md', 'two\n')
  expect(await vault.texts('a.md')).toEqual(['Ann a.md two', 'Ann a.md one'])
  expect(left.filter((name) => existsSync(join(vault.gitDir, name)))).toEqual([])
  expect(await damaged()).toEqual([])
})

const damages: Record<string, () => Promise<unknown>> = {
  'an empty branch': () => writeFile(join(vault.gitDir, 'refs/heads/main'), ''),
  'a branch to nowhere': () => writeFile(join(vault.gitDir, 'refs/heads/main'), `${'0123456789'.repeat(4)}\n`),
  'no objects': () => rm(join(vault.gitDir, 'objects'), { recursive: true }),
  'a pack of zeros': async () => {
    const packs = join(vault.gitDir, 'objects/pack')
    for (const name of await readdir(packs))
      if (name.endsWith('.pack')) {
        await chmod(join(packs, name), 0o600)
        await writeFile(join(packs, name), Buffer.alloc(statSync(join(packs, name)).size))
      }
  },
  'a link to the repository of somebody else': async () => {
    await rm(vault.gitDir, { recursive: true })
    await mkdir(`${vault.gitDir}-theirs`)
    await symlink(`${vault.gitDir}-theirs`, vault.gitDir)
  },
}

test.each(Object.keys(damages))('a history with %s is moved aside, named, and begun anew', async (name) => {
  verifies('history.damage')
  vault.put('a.md', 'one\n')
  await vault.history.commitAll()
  await damages[name]?.()
  await vault.killed()
  vault.put('b.md', 'two\n', 'Ben')
  await vault.history.catchUp()
  await recovered()
  expect(await vault.texts('a.md')).toEqual(['Outside edit a.md one'])
  expect(await vault.texts('b.md')).toEqual(['Ben b.md two'])
  const [place, ...others] = await damaged()
  expect([place, others]).toEqual([expect.stringContaining('v.git.damaged-20260301T'), []])
  expect(said(place!)).toHaveLength(1)
  expect(await readdir(dirname(vault.gitDir))).not.toContain('.git')
  if (name.startsWith('a link')) expect(await readdir(`${vault.gitDir}-theirs`)).toEqual([])
})

test('on a full disk nothing is lost, it is reported once, and every author is caught up with', async () => {
  verifies('history.behind')
  vault.put('a.md', 'one\n')
  await vault.history.commitAll()
  await vault.fill()
  vault.put('a.md', 'two\n', 'Ben')
  for (let round = 0; round < 5; round++) {
    vault.pass(60_000)
    await vault.history.commitAll()
  }
  expect(vault.history.state()).toBe('behind')
  vault.put('a.md', 'three\n', 'Cem')
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one'])
  expect(said('cannot be written')).toHaveLength(1)
  expect(await damaged()).toEqual([])

  await vault.killed()
  vault.put('a.md', 'four\n', 'Ann')
  await vault.history.commitAll()
  await vault.empty()
  await recovered()
  expect(await vault.texts('a.md')).toEqual(['Ann a.md four', 'Cem a.md three', 'Ben a.md two', 'Ann a.md one'])
  expect(said('is written again')).toHaveLength(1)
})

const leavesAPack = (command: string) =>
  `if [ "$1" = ${command} ]; then : > "$GIT_DIR/objects/pack/tmp_pack_x"; echo 'fatal: write error: No space left on device' >&2; exit 128; fi`

test('what a git that met a full disk leaves is removed at once: it would keep the disk full', async () => {
  verifies('history.locks', 'notes.read-only-when-full')
  const left = async () => (await readdir(join(vault.gitDir, 'objects/pack'))).filter((name) => name.startsWith('tmp_'))
  const commit = async (text: string) => {
    vault.put('a.md', text)
    vault.pass(60_000)
    await vault.history.commitAll()
  }
  await commit('one\n')
  for (const command of ['commit-graph', 'fast-import']) {
    await vault.ail(leavesAPack(command))
    await commit(`before a failed ${command}\n`)
    expect(vault.history.state()).toBe('behind')
    expect(await left()).toEqual([])
    await vault.heal()
    await recovered()
  }
})

/** Each commit is a pack of three objects, with so many bytes of text. */
const commits = async (count: number, textBytes = 6000) => {
  for (let number = 0; number < count; number++) {
    vault.put('a.md', randomBytes(textBytes / 2).toString('hex'))
    await vault.history.commitAll()
  }
}
const packBytes = async () => {
  const packs = join(vault.gitDir, 'objects/pack')
  return (await readdir(packs)).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0)
}
const packNames = async () =>
  (await readdir(join(vault.gitDir, 'objects/pack'))).filter((name) => name.endsWith('.pack'))
const packCount = async () => (await packNames()).length

test('packs are written anew only where they fit twice: the rest of the volume is for deletions', async () => {
  verifies('notes.read-only-when-full')
  await commits(40)
  vault.leave(await packBytes())
  await commits(15)
  expect(vault.history.state()).toBe('ready')
  expect(await packCount()).toBe(55)

  vault.leave(2 * (await packBytes()))
  await commits(10)
  expect(await packCount()).toBeLessThan(15)
})

test('a history larger than the free space is packed, as its largest pack stays', async () => {
  for (let number = 0; number < 400; number++) vault.put(`many/${number}.md`, randomBytes(70).toString('hex'))
  await vault.history.commitAll()
  const [largest] = await packNames()
  await commits(48, 20)
  vault.leave((await packBytes()) - statSync(join(vault.gitDir, 'objects/pack', largest!)).size / 2)
  await commits(2, 20)
  expect(await packNames()).toContain(largest)
  expect(await packCount()).toBeLessThan(5)
})

test('the history of a daemon that often starts is packed too', async () => {
  for (let start = 0; start < 3; start++) {
    await commits(20)
    await vault.killed()
  }
  expect(await packCount()).toBeLessThan(20)
})

test('a history that would use the reserve of the volume waits, and is not checked for damage meanwhile', async () => {
  verifies('history.behind', 'notes.read-only-when-full')
  vault.put('a.md', 'one\n')
  await vault.history.commitAll()
  const packs = await packCount()
  vault.leave(100)
  await vault.ail(`if [ "$1" = fsck ]; then echo checked > "$GIT_DIR/checked"; fi`)
  vault.put('a.md', 'two\n', 'Ben')
  vault.pass(60_000)
  await vault.history.commitAll()
  expect(vault.history.state()).toBe('behind')
  expect([await packCount(), existsSync(join(vault.gitDir, 'checked'))]).toEqual([packs, false])

  vault.leave(1_000_000)
  await recovered()
  expect(await vault.texts('a.md')).toEqual(['Ben a.md two', 'Ann a.md one'])
})

const ailments = {
  'has no files left to open': `echo 'error: cannot open pack: Too many open files' >&2; exit 128`,
  'has no memory left': `echo 'fatal: Out of memory, malloc failed (tried to allocate 65536 bytes)' >&2; exit 128`,
  'cannot start its helpers': `echo 'fatal: cannot fork() for index-pack: Resource temporarily unavailable' >&2; exit 128`,
  'is killed': 'kill -9 $$',
}

test.each(Object.entries(ailments))('a git that %s says nothing about the history, which is kept', async (_, lines) => {
  verifies('history.behind')
  vault.put('a.md', 'one\n')
  await vault.history.commitAll()
  await vault.ail(lines)
  vault.put('a.md', 'two\n', 'Ben')
  vault.history.doubt(new Error('a revision cannot be read'))
  await vault.history.commitAll()
  await vault.killed()
  vault.put('a.md', 'three\n', 'Cem')
  await vault.history.commitAll()
  expect(vault.history.state()).toBe('behind')
  await vault.heal()
  await recovered()
  expect(await vault.texts('a.md')).toEqual(['Cem a.md three', 'Ben a.md two', 'Ann a.md one'])
  expect(await damaged()).toEqual([])
})

test('a queue on a full disk is not torn, and delays no change', async () => {
  verifies('history.behind')
  let space = 300
  vault.useWrite((write) => (fd, bytes) => {
    if (bytes.length <= space) return write(fd, bytes)
    write(fd, bytes.subarray(0, 10))
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  })
  vault.put('a.md', 'one\n', 'Ann')
  space = 0
  vault.put('b.md', 'two\n', 'Ben')
  vault.put('b.md', 'more\n', 'Ben')
  space = 300
  vault.put('c.md', 'three\n', 'Cem')
  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one'])
  expect(await vault.texts('b.md')).toEqual(['Outside edit b.md more'])
  expect(await vault.texts('c.md')).toEqual(['Cem c.md three'])
  expect(said('cannot be queued')).toHaveLength(1)
})

test('a history that lags too far behind keeps the newest text of every note', async () => {
  verifies('history.behind')
  await vault.history.commitAll()
  await vault.fill()
  const text = (name: string) => `${name}\n${'x'.repeat(20_000)}\n`
  for (const name of ['1', '2', '3', '4', '5']) vault.put('large.md', text(name), `P${name}`)
  vault.pass(60_000)
  await vault.history.commitAll()
  expect(said('lags too far behind')).toHaveLength(1)
  await vault.empty()
  await recovered()
  const { revisions } = await vault.reader.revisions(vault.history, { path: 'large.md', limit: 9, offset: 0 })
  expect(revisions.map(({ author }) => author.name)).toEqual(['P5', 'P4', 'P3'])
})

test('when others write more at once than may wait in memory, the notes are compared with the history instead', async () => {
  verifies('history.behind')
  await vault.history.catchUp()
  const text = (name: string) => `${name}\n${'x'.repeat(20_000)}\n`
  const names = Array.from({ length: 12 }, (_, number) => `${number}.md`)
  for (const name of names) vault.put(name, text(`first of ${name}`), 'outside')
  vault.put('9.md', text('second of 9.md'), 'outside')
  expect(vault.history.pendingOf('11.md')).toEqual([])
  vault.pass(60_000)
  await vault.history.commitAll()
  vault.pass(60_000)
  await vault.history.commitAll()
  for (const name of names.slice(0, 3)) expect(await vault.revisions(name)).toHaveLength(1)
  for (const name of names) {
    const [revision] = await vault.revisions(name)
    expect(await vault.reader.textAt(vault.history, { path: name, rev: revision!.rev })).toBe(vault.notes.get(name))
    expect(revision!.author.name).toBe('Outside edit')
  }
})

test('nothing but our own settings steers the history', async () => {
  verifies('history.hardened')
  const names = ['.gitattributes', '.gitignore', '.git/config', 'sub/.git/HEAD', 'x.md']
  const texts = [
    '* text eol=crlf filter=evil\n',
    '*.md\n',
    '[core]\n\tfsmonitor = touch /tmp/x\n',
    'ref: x\n',
    'a\r\nb\n',
  ]
  for (const [index, name] of names.entries()) vault.put(name, texts[index] ?? '')
  await vault.history.commitAll()
  await writeFile(join(vault.gitDir, 'info/attributes'), '* text eol=lf\n', { flag: 'w' }).catch(() => {})
  const [revision] = await vault.revisions('x.md')
  expect(await vault.reader.textAt(vault.history, { path: 'x.md', rev: revision!.rev })).toBe('a\r\nb\n')
  expect(vault.git('config', 'core.hooksPath').trim()).toBe('/dev/null')
  expect(existsSync(join(vault.gitDir, 'hooks'))).toBe(false)
})

test('notes that are seen to be deleted all at once are gone from the history too', async () => {
  verifies('history.mass-deletion')
  const names = Array.from({ length: 500 }, (_, index) => `n${index}.md`)
  for (const name of names) vault.put(name, `text of ${name}\n`, 'outside')
  await vault.history.catchUp()
  expect(vault.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toHaveLength(500)

  for (const name of names) vault.remove(name, 'outside')
  await recovered()
  await until('all are gone', async () => {
    vault.pass(60_000)
    await vault.history.commitAll()
    return vault.git('ls-tree', '-r', '--name-only', 'main') === ''
  })
  expect(said('kept in it')).toEqual([])
  expect((await vault.texts('n499.md'))[0]).toMatch(/ n499.md gone$/)
})
