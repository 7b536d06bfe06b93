import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { verifies } from '../requirements.ts'
import { backupIdAt, createBackupStore } from '../support/backup-store.ts'
import { faultyDisk, type Fault } from '../support/faulty-disk.ts'
import { liveClient } from '../support/live-client.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const faulty = faultyDisk()
let freeBytes = Number.POSITIVE_INFINITY
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeAll(async () => {
  const statfs: typeof faulty.disk.statfs = async (path) => {
    const { bsize, bavail } = await faulty.disk.statfs(path)
    return { bsize, bavail: Math.min(bavail, Math.floor(freeBytes / bsize)) }
  }
  daemon = await startRelayedDaemon({ disk: { ...faulty.disk, statfs }, reservedBytes: 1_000_000 })
})
afterAll(() => daemon.close())

const at = (path: string) => join(daemon.home, 'vaults/demo-vault', path)
const api = (path: string, options?: Parameters<typeof daemon.local>[1]) =>
  daemon.local(`/api/vaults/demo-vault${path}`, options)
const textAt = (path: string) => readFile(at(path), 'utf8').catch(() => undefined)
const put = (path: string, content: string, expected = '*', header = 'if-match') =>
  api(`/notes/${path}`, { method: 'PUT', json: { content }, headers: { [header]: expected } })
const trashId = async (path: string) => {
  const { entries } = (await api('/trash')).body as { entries: { id: string; path: string }[] }
  return entries.find((entry) => entry.path === path)?.id ?? 'none'
}
const emptyTrash = async () => {
  await mkdir(at('.svc/trash'), { recursive: true })
  for (const id of await readdir(at('.svc/trash'))) await rm(at(`.svc/trash/${id}`), { recursive: true })
}
const intoTrash = async (path: string) => {
  await writeFile(at(path), 'old')
  expect((await api(`/${path.endsWith('.md') ? 'notes' : 'attachments'}/${path}`, { method: 'DELETE' })).status).toBe(
    200,
  )
}

type Change = {
  name: string
  /** Brings the file into the initial state of the change. */
  given(): Promise<unknown>
  run(): ReturnType<typeof api>
  before: string | undefined
  after: string | undefined
  /** The changed file, if its path does not follow from the name. */
  path?: () => string
}

let trashed = ''

const changes: Change[] = [
  {
    name: 'a note is created',
    given: () => removeFolder(at('deep')),
    run: () => api('/notes/deep/f.md', { method: 'PUT', json: { content: 'new' }, headers: { 'if-none-match': '*' } }),
    before: undefined,
    after: 'new',
  },
  {
    name: 'a note is replaced',
    given: () => writeFile(at('f.md'), 'old'),
    run: () => put('f.md', 'new'),
    before: 'old',
    after: 'new',
  },
  {
    name: 'an edit changes nothing',
    given: () => writeFile(at('f.md'), 'old'),
    run: () => put('f.md', 'old'),
    before: 'old',
    after: 'old',
  },
  {
    name: 'an attachment is created',
    given: () => rm(at('f.bin'), { force: true }),
    run: () => api('/attachments/f.bin', { method: 'PUT', body: 'new', headers: { 'if-none-match': '*' } }),
    before: undefined,
    after: 'new',
  },
  {
    name: 'an attachment is replaced',
    given: () => writeFile(at('f.bin'), 'old'),
    run: () => api('/attachments/f.bin', { method: 'PUT', body: 'new', headers: { 'if-match': '*' } }),
    before: 'old',
    after: 'new',
  },
  {
    name: 'a note is moved to the trash',
    given: () => writeFile(at('f.md'), 'old'),
    run: () => api('/notes/f.md', { method: 'DELETE' }),
    before: 'old',
    after: undefined,
  },
  {
    name: 'a note is deleted for good',
    given: () => writeFile(at('f.md'), 'old'),
    run: () => api('/notes/f.md?permanent=true', { method: 'DELETE' }),
    before: 'old',
    after: undefined,
  },
  {
    name: 'a folder is moved to the trash',
    given: async () => {
      await mkdir(at('folder'), { recursive: true })
      await writeFile(at('folder/f.md'), 'old')
    },
    run: () => api('/folders/folder', { method: 'DELETE' }),
    before: 'old',
    after: undefined,
  },
  {
    name: 'an attachment is restored from the trash',
    given: async () => {
      await emptyTrash()
      await intoTrash('f.bin')
      trashed = await trashId('f.bin')
    },
    run: () => api(`/trash/${trashed}/restore`, { json: {} }),
    before: undefined,
    after: 'old',
  },
  {
    name: 'an attachment is moved to the trash',
    given: () => writeFile(at('f.bin'), 'old'),
    run: () => api('/attachments/f.bin', { method: 'DELETE' }),
    before: 'old',
    after: undefined,
  },
  {
    name: 'a note is restored from the trash',
    given: async () => {
      await emptyTrash()
      await rm(at('back.md'), { force: true })
      await intoTrash('back.md')
      trashed = await trashId('back.md')
    },
    run: () => api(`/trash/${trashed}/restore`, { json: {} }),
    before: undefined,
    after: 'old',
    path: () => 'back.md',
  },
  {
    name: 'a folder is restored from the trash',
    given: async () => {
      await emptyTrash()
      await mkdir(at('folder'), { recursive: true })
      await writeFile(at('folder/f.md'), 'old')
      expect((await api('/folders/folder', { method: 'DELETE' })).status).toBe(200)
      trashed = await trashId('folder')
    },
    run: () => api(`/trash/${trashed}/restore`, { json: {} }),
    before: undefined,
    after: 'old',
  },
  {
    name: 'an entry of the trash is deleted for good',
    given: async () => {
      await emptyTrash()
      await intoTrash('f.md')
      trashed = await trashId('f.md')
    },
    run: () => api(`/trash/${trashed}`, { method: 'DELETE' }),
    before: 'old',
    after: undefined,
    path: () => `.svc/trash/${trashed}/content`,
  },
]

const pathOf = ({ name, path }: Change) =>
  path
    ? path()
    : name.startsWith('a folder')
      ? 'folder/f.md'
      : name === 'a note is created'
        ? 'deep/f.md'
        : name.includes('attachment')
          ? 'f.bin'
          : 'f.md'
const TYPED = ['storage_full', 'storage_read_only', 'storage_failed', 'file_access_denied', 'too_many_open_files']
const MAX_STEPS = 80

/** Removes the drafts that a failed change has left behind, as the next start does. */
async function takeDrafts(): Promise<string[]> {
  const drafts = await readdir(at('.svc/tmp'))
  for (const draft of drafts) await removeFolder(at(`.svc/tmp/${draft}`))
  return drafts
}

async function newestEntry() {
  return AuditList.parse((await api('/audit?limit=1')).body).entries[0]
}

/** Runs a change with a fault at one step; returns the steps that failed, none if the change has fewer steps. */
async function runWith(change: Change, fault: Fault) {
  await mkdir(at('.svc/tmp'), { recursive: true })
  await change.given()
  const last = await newestEntry()
  faulty.arm(fault)
  const answer = await change.run()
  const hits = faulty.heal()
  const isDone = answer.status < 300
  const isRemoved = hits[0] !== 'rm' && hits[0] !== 'unlink'
  // Whoever saves a note does not wait until the old one is removed.
  if (isDone && isRemoved && fault.lasts === 'once')
    await until('the drafts are removed', async () => (await readdir(at('.svc/tmp'))).length === 0)
  const drafts = await takeDrafts()
  const where = `${change.name}, ${fault.errno} at step ${fault.at} ${fault.lasts} (${hits[0]}): ${answer.text}`
  // A draft may remain only if its removal failed; the next start removes it.
  if (isRemoved) expect(fault.lasts === 'once' ? drafts : [], where).toEqual([])
  if (!isDone) expect(TYPED, where).toContain(ErrorBody.parse(answer.body).error.code)
  return { hits, isDone, where, last, text: await textAt(pathOf(change)) }
}

/** The errors of a volume, and the steps at which they occur: every step fails in at least two ways. */
const faults = [
  { errno: 'EIO', first: 1, stride: 1 },
  ...['ENOSPC', 'EROFS', 'EACCES', 'EDQUOT', 'EMFILE'].map((errno, index) => ({ errno, first: 1 + index, stride: 5 })),
]

describe.each(changes)('when $name', (change) => {
  test.each(faults)('$errno at any step is a typed failure that changes nothing', async ({ errno, first, stride }) => {
    verifies('notes.volume-failures', 'audit.intent')
    let failures = 0
    for (let step = first; ; step += stride) {
      const { hits, isDone, where, text, last } = await runWith(change, { at: step, errno, lasts: 'once' })
      expect(text, where).toBe(isDone ? change.after : change.before)
      if (hits.length === 0) {
        expect(isDone, where).toBe(true)
        break
      }
      if (!isDone) failures++
      const entry = await newestEntry()
      const isNew = JSON.stringify(entry) !== JSON.stringify(last)
      if (isDone) expect([isNew, entry?.outcome], where).toEqual([true, 'done'])
      else if (isNew) expect(entry?.outcome, where).toBe('failed')
      expect(step).toBeLessThan(MAX_STEPS)
    }
    if (stride === 1) expect(failures).toBeGreaterThan(0)
  })

  test('a disk that fails from any step on leaves the old bytes or the new ones', async () => {
    verifies('notes.volume-failures')
    await mkdir(at('.svc/trash'), { recursive: true })
    for (let step = 1; ; step++) {
      const { hits, isDone, where, text } = await runWith(change, { at: step, errno: 'EIO', lasts: 'on' })
      if (isDone) expect(text, where).toBe(change.after)
      else {
        // A file that was removed and could not be restored is in the trash or among the drafts, complete.
        const elsewhere = await Promise.all(
          (await readdir(at('.svc'), { recursive: true })).map((name) => textAt(join('.svc', name))),
        )
        expect([change.before, change.after].includes(text) || elsewhere.includes(change.before), where).toBe(true)
      }
      if (hits.length === 0) break
      expect(step).toBeLessThan(MAX_STEPS)
    }
  })
})

test('a file that went to the trash and could not be moved back is restored from there', async () => {
  verifies('notes.volume-failures')
  for (const name of ['a note is moved to the trash', 'an attachment is moved to the trash']) {
    const change = changes.find((one) => one.name === name)!
    const path = pathOf(change)
    let kept = 0
    for (let step = 1; ; step++) {
      await emptyTrash()
      const fault = { at: step, errno: 'EIO', lasts: 'on', spared: ['open', 'rm'] } as const
      const { hits, isDone, where, text } = await runWith(change, fault)
      if (hits.length === 0) break
      if (!isDone && text === undefined) {
        kept++
        expect((await api(`/trash/${await trashId(path)}/restore`, { json: {} })).status, where).toBe(200)
        expect(await textAt(path), where).toBe('old')
      }
      expect(step).toBeLessThan(MAX_STEPS)
    }
    expect(kept, name).toBeGreaterThan(0)
  }
})

test('what a failed change has done all the same has its author in the history', async () => {
  verifies('notes.volume-failures')
  const path = 'kept-by-failure.md'
  const authors = async () =>
    (HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []).map(({ author }) => author.id)
  const make = (content: string) => put(path, content, '*', 'if-none-match')
  await writeFile(at(path), 'old')
  await until('the note is known', async () => (await authors()).join() === 'outside')

  const left = { replaced: 0, deleted: 0 }
  for (const change of ['replaced', 'deleted'] as const)
    for (let step = 1; ; step++) {
      if ((await textAt(path)) === undefined) expect((await make('again')).status).toBe(201)
      const next = `${change} at step ${step}`
      await mkdir(at('.svc/tmp'), { recursive: true })
      faulty.arm({ at: step, errno: 'EIO', lasts: 'on' })
      const answer = change === 'replaced' ? await put(path, next) : await api(`/notes/${path}`, { method: 'DELETE' })
      const hits = faulty.heal()
      await takeDrafts()
      const isMade = (await textAt(path)) === (change === 'replaced' ? next : undefined)
      if (isMade && answer.status >= 300) left[change]++
      if (hits.length === 0) break
      expect(step).toBeLessThan(MAX_STEPS)
    }
  // When this save succeeds, the daemon has examined what the last failure left behind.
  expect((await make('end')).status).toBe(201)
  expect([left.replaced > 0, left.deleted > 0]).toEqual([true, true])
  const all = await authors()
  expect([all.at(-1), new Set(all.slice(0, -1))]).toEqual(['outside', new Set(['local'])])
})

test('a save of what is there already is done only once the file and its folder are durable', async () => {
  verifies('notes.durable', 'notes.volume-failures')
  const change = changes.find(({ name }) => name === 'an edit changes nothing')!
  const failedSyncs: number[] = []
  for (let step = 1; ; step++) {
    const { hits, isDone } = await runWith(change, { at: step, errno: 'EIO', lasts: 'once' })
    if (hits.length === 0) break
    if (hits[0] === 'sync' && !isDone) failedSyncs.push(step)
    expect(step).toBeLessThan(MAX_STEPS)
  }
  expect(failedSyncs).toHaveLength(2)
})

test('a nearly full volume takes no more, but lets go and is read', async () => {
  verifies('notes.read-only-when-full')
  await writeFile(at('kept.md'), 'old')
  freeBytes = 1_000_000
  try {
    const refused = [
      await put('kept.md', 'new'),
      await api('/notes/more.md', { method: 'PUT', json: { content: 'x' } }),
      await api('/attachments/more.bin', { method: 'PUT', body: 'x' }),
    ]
    expect(refused.map(({ status, body }) => [status, ErrorBody.parse(body).error.code])).toEqual(
      refused.map(() => [507, 'storage_full']),
    )
    expect(await textAt('kept.md')).toBe('old')
    expect((await api('/notes/kept.md')).status).toBe(200)
    expect((await api('/notes/kept.md', { method: 'DELETE' })).status).toBe(200)
    expect((await newestEntry())?.outcome).toBe('done')
  } finally {
    freeBytes = Number.POSITIVE_INFINITY
  }
  expect((await api('/notes/more.md', { method: 'PUT', json: { content: 'x' } })).status).toBe(201)
})

/** A client with text that the daemon has taken, and that is in no file yet. */
async function typing(path: string) {
  await writeFile(at(path), 'old\n')
  const client = liveClient({ url: () => daemon.urls.local, path })
  await client.reaches('durable')
  client.type('new\n')
  await client.reaches('saved')
  return client
}

test('a nearly full volume saves and deletes what was typed before, and takes no more text', async () => {
  verifies('notes.read-only-when-full')
  const [kept, gone] = await Promise.all([typing('open.md'), typing('gone.md')])
  freeBytes = 1_000_000
  try {
    expect((await api('/notes/gone.md', { method: 'DELETE' })).status).toBe(200)
    expect((await api('/ops/flush', { method: 'POST' })).status).toBe(200)
    expect(await textAt('open.md')).toBe('old\nnew\n')
    expect(await textAt(`.svc/trash/${await trashId('gone.md')}/content`)).toBe('old\nnew\n')
    // The volume is asked once a second at most.
    await setTimeout(1500)
    kept.type('more\n')
    await kept.reaches('failed')
    expect(await textAt('open.md')).toBe('old\nnew\n')
  } finally {
    freeBytes = Number.POSITIVE_INFINITY
  }
  await kept.reaches('durable')
  expect(await textAt('open.md')).toBe('old\nnew\nmore\n')
  kept.close()
  gone.close()
})

test('a backup has the text of an open note that cannot be saved', async () => {
  verifies('backup.full-volume')
  await removeFolder(at('.svc/tmp'))
  await writeFile(at('.svc/tmp'), 'in the way of every save')
  const client = await typing('unsaved.md')
  try {
    expect((await api('/ops/flush', { method: 'POST' })).status).toBeGreaterThan(399)
    const kept = await createBackupStore().backup({ url: daemon.urls.local }, backupIdAt(1))
    expect(kept?.summary.files).toBeGreaterThan(0)
    expect(await textAt('unsaved.md')).toBe('old\n')
  } finally {
    await rm(at('.svc/tmp'))
    await mkdir(at('.svc/tmp'))
  }
  await client.reaches('durable')
  client.close()
})
