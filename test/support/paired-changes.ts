import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { allPairsOf, type PairWorld } from './pair-runs.ts'
import { call, startSvcd, type Svcd } from './svcd.ts'

// What the daemon itself puts into a new vault.
const STARTERS = /^(README\.md:|notes\/)/

// Changes of one small vault, of which any two may come at the same time.

/** A vault for one pair of changes, with the names that the changes need. */
type PairVault = {
  url: string
  folder: string
  /** Baselines of the note a.md and the attachment p.png. */
  note: string
  attachment: string
  /** The first revision of a.md. */
  revision: string
  /** Ids of a note, a folder and an attachment in the trash. */
  trash: { note: string; folder: string; attachment: string }
}

type Request = [path: string, options: NonNullable<Parameters<typeof call>[2]>]

const bytes = { 'content-type': 'application/octet-stream' }
const matching = (baseline: string) => ({ 'if-match': `"${baseline}"` })
const put = (path: string, content: string, headers = {}): Request => [
  `/notes/${path}`,
  { method: 'PUT', json: { content }, headers },
]
const upload = (path: string, body: string, headers = {}): Request => [
  `/attachments/${path}`,
  { method: 'PUT', body, headers: { ...bytes, ...headers } },
]
const remove = (path: string): Request => [path, { method: 'DELETE' }]
const move = (from: string, to: string): Request => ['/move', { json: { from, to } }]
const restore = (id: string, path?: string): Request => [`/trash/${id}/restore`, { json: path ? { path } : {} }]

/** The changes by name: each makes a request from the names of a vault. */
const pairedChanges: Readonly<Record<string, (vault: PairVault) => Request>> = {
  'write a.md': ({ note }) => put('a.md', 'three\n', matching(note)),
  'write a.md too': ({ note }) => put('a.md', 'four\n', matching(note)),
  'edit a.md': ({ note }) => [
    '/notes/a.md',
    { method: 'PATCH', json: { baseline: note, edits: [{ oldText: 'two', newText: 'edited' }] } },
  ],
  'create n.md': () => put('n.md', 'new\n'),
  'create N.md': () => put('N.md', 'NEW\n'),
  'create f/n.md': () => put('f/n.md', 'new\n'),
  'create t.md': () => put('t.md', 'new\n'),
  'create g/n.md': () => put('g/n.md', 'new\n'),
  'delete a.md': () => remove('/notes/a.md'),
  'delete a.md for good': () => remove('/notes/a.md?permanent=true'),
  'delete f/c.md': () => remove('/notes/f/c.md'),
  'move a.md to m.md': () => move('a.md', 'm.md'),
  'move a.md to f/n.md': () => move('a.md', 'f/n.md'),
  'move f/c.md to n.md': () => move('f/c.md', 'n.md'),
  'move f to h': () => move('f', 'h'),
  'move f to g': () => move('f', 'g'),
  'move p.png to q.png': () => move('p.png', 'q.png'),
  'move b.md to f/b.md': () => move('b.md', 'f/b.md'),
  'delete f': () => remove('/folders/f'),
  'make the folder n.md': () => ['/folders/n.md', { method: 'POST' }],
  'make the folder h': () => ['/folders/h', { method: 'POST' }],
  'replace p.png': ({ attachment }) => upload('p.png', 'new', matching(attachment)),
  'upload q.png': () => upload('q.png', 'new'),
  'delete p.png': () => remove('/attachments/p.png'),
  'delete p.png for good': () => remove('/attachments/p.png?permanent=true'),
  'restore t.md': ({ trash }) => restore(trash.note),
  'restore t.md as n.md': ({ trash }) => restore(trash.note, 'n.md'),
  'delete t.md from the trash': ({ trash }) => remove(`/trash/${trash.note}`),
  'restore g': ({ trash }) => restore(trash.folder),
  'delete g from the trash': ({ trash }) => remove(`/trash/${trash.folder}`),
  'restore q.png': ({ trash }) => restore(trash.attachment),
  'delete q.png from the trash': ({ trash }) => remove(`/trash/${trash.attachment}`),
  'restore the first a.md': ({ note, revision }) => [
    '/history/a.md/restore',
    { json: { rev: revision, baseline: note } },
  ],
  'revert everything': () => ['/revert', { json: { actor: 'local', since: '2000-01-01T00:00:00Z', dryRun: false } }],
}

/** Every two of the changes. */
export const vaultPairs = allPairsOf(Object.keys(pairedChanges))

/** Starts a daemon in which each pair of changes gets a vault of its own. */
export async function startPairVaults() {
  const daemon = await startSvcd({ env: { SVC_MAX_VAULTS: '1000' } })
  let vaults = 0
  const makeWorld = async (): Promise<PairWorld> => {
    const vault = await makePairVault(daemon, `pair-${vaults++}`)
    return {
      send: (name) => sendChange(daemon, vault, name),
      state: () => stateOfVault(vault),
      end: () => rm(vault.folder, { recursive: true }),
    }
  }
  return { makeWorld, stop: () => daemon.remove() }
}

/** Makes a vault with notes, folders and attachments, some of them in the trash. */
export async function makePairVault(daemon: Svcd, slug: string): Promise<PairVault> {
  const url = `/api/vaults/${slug}`
  const make = async <T>([path, options]: Request): Promise<T> => {
    const answer = await call(daemon, url + path, options)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body as T
  }
  const made = await call(daemon, '/api/vaults', { json: { displayName: 'A vault', slug } })
  if (made.status !== 201) throw new Error(made.text)
  type Written = { note: { baseline: string } }
  const first = await make<Written>(put('a.md', 'one\n'))
  for (const [path, content] of [
    ['b.md', 'see [[a]] and [[f/c]] ![[p.png]]\n'],
    ['f/c.md', 'c [[a]]\n'],
    ['t.md', 'in the trash\n'],
    ['g/n.md', 'in a folder in the trash\n'],
  ] as const)
    await make(put(path, content))
  for (const path of ['q.png', 'f/i.png']) await make(upload(path, path))
  const { attachment } = await make<{ attachment: { baseline: string } }>(upload('p.png', 'p.png'))
  for (const path of ['/notes/t.md', '/folders/g', '/attachments/q.png']) await make(remove(path))
  const { revisions } = await make<{ revisions: { rev: string }[] }>(['/history/a.md', {}])
  const { note } = await make<Written>(put('a.md', 'two\n', matching(first.note.baseline)))
  const { entries } = await make<{ entries: { id: string; path: string }[] }>(['/trash', {}])
  const idOf = (path: string) => entries.find((entry) => entry.path === path)!.id
  return {
    url,
    folder: daemon.file(slug, ''),
    note: note.baseline,
    attachment: attachment.baseline,
    revision: revisions[0]!.rev,
    trash: { note: idOf('t.md'), folder: idOf('g'), attachment: idOf('q.png') },
  }
}

/** Sends a change; returns the status and the code of a failure. */
export async function sendChange(daemon: Svcd, vault: PairVault, name: string): Promise<string> {
  const [path, options] = pairedChanges[name]!(vault)
  const { status, body } = await call<{ error?: { code: string } }>(daemon, vault.url + path, options)
  return status < 300 ? `${status}` : `${status} ${body?.error?.code}`
}

/** The files of the vault and of its trash, with their contents, as text. */
async function stateOfVault({ folder }: PairVault): Promise<string> {
  const files = (await filesBelow(folder, '')).filter((file) => !STARTERS.test(file))
  // The entries of the trash have random names: each is told by its description.
  const trash: string[] = []
  for (const id of await readdir(join(folder, '.svc/trash')).catch((): string[] => [])) {
    const entry = join(folder, '.svc/trash', id)
    const { path } = JSON.parse(await readFile(join(entry, 'entry.json'), 'utf8')) as { path: string }
    const content = (await filesBelow(entry, '')).filter((file) => file.startsWith('content'))
    trash.push(`${path} in the trash: ${content.join(' ')}`)
  }
  return [...files.toSorted(), ...trash.toSorted()].join('\n')
}

/** All folders and files with their contents, except in hidden folders, where the daemon works. */
async function filesBelow(root: string, folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) files.push(`${path}/`, ...(await filesBelow(root, path)))
    else files.push(`${path}: ${await readFile(join(root, path), 'utf8')}`)
  }
  return files
}
