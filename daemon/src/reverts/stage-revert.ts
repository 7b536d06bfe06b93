import { join } from 'node:path'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { placedAt } from '../audit/evidence.ts'
import type { Actor } from '../entry/actor.ts'
import { baselineOf } from '../files/baseline.ts'
import type { FileAccess } from '../files/disk/file-access.ts'
import { isSameFile, sameStamp, type FileStamp } from '../files/file-stamp.ts'
import { ownerAt } from '../files/open-folder.ts'
import { newName, stageFiles, type Staged, type StagedFiles } from '../files/stage-file.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { JointChange, Step } from '../journal/joint-change.ts'
import type { PlanLinks } from '../moves/links-plan.ts'
import { rewriteSettings } from '../moves/rewrite-settings.ts'
import { findNote, type StoredNote } from '../notes/stored-note.ts'
import type { RecentVersions } from '../notes/recent-versions.ts'
import { noteInTrash } from '../trash/note-in-trash.ts'
import { entryPaths, entryText, deleterOf, newEntryId } from '../trash/trash-entry.ts'
import type { TogetherChange } from '../vaults/change-vault.ts'
import { missingFolders } from '../vaults/missing-folders.ts'
import { refuseTwin } from '../vaults/new-names.ts'
import type { Vault } from '../vaults/vault.ts'
import { stampAt } from '../watch/list-folder.ts'
import { announceRevert, type MadeRevert } from './announce-revert.ts'
import { pathAfter, REVERT, type PlannedNote } from './planned-note.ts'
import type { FindRestoredWriters } from './restored-writers.ts'

/** A revert that is ready to be carried out: all new contents are on disk. */
export type StagedRevert = {
  change: JointChange
  audited: TogetherChange[]
  /** False when links of the vault have changed since. Fails when a name that is needed is taken by now. */
  isCurrent(): Promise<boolean>
  /** Notifies everybody who follows the vault. */
  announce(): Promise<void>
  /** The baseline of a planned note after the revert; undefined if it does not exist then. */
  baselineAfter(note: PlannedNote): string | undefined
  /** Removes what was written and not used. */
  discard(): Promise<void>
}

type Wish = { vault: Vault; by: Actor; notes: readonly PlannedNote[]; emptied: readonly string[] }

/**
 * Writes the new contents of a planned revert to the folder for temporary files. Returns undefined if a note has
 * changed since it was planned.
 */
export type StageRevert = (wish: Wish) => Promise<StagedRevert | undefined>

type Deps = {
  planLinks: PlanLinks
  findRestoredWriters: FindRestoredWriters
  versions: RecentVersions
  clock: Clock
  maxNoteBytes: number
}

export function createStageRevert(deps: Deps): StageRevert {
  return async (wish) => {
    const stage = await stageFiles(wish.vault.files)
    const staged = await stageAll(deps, wish, stage).catch(async (error: unknown) => {
      await stage.discard()
      throw error
    })
    if (!staged) await stage.discard()
    return staged && { ...staged, discard: stage.discard }
  }
}

async function stageAll(
  { planLinks, findRestoredWriters, versions, clock, maxNoteBytes }: Deps,
  { vault, by, notes, emptied }: Wish,
  stage: StagedFiles,
): Promise<Omit<StagedRevert, 'discard'> | undefined> {
  const steps: Step[] = []
  const audited: TogetherChange[] = []
  const made: MadeRevert = {
    edited: [],
    created: [],
    returned: [],
    trashed: [],
    restored: [],
    emptyEntries: [],
    moved: [],
    folders: [],
    emptied,
    rewritten: [],
  }
  const of = (action: PlannedNote['action']) => notes.filter((note) => note.action === action)
  const movedBack = of('move_back').filter(({ kind }) => kind !== 'folder')
  const folders = notes.filter(({ kind }) => kind === 'folder').map((folder) => ({ ...folder, to: folder.to! }))
  const moved = new Map(movedBack.map(({ path, to }) => [path, to!]))
  const bytesOf = (text: string): Buffer => {
    const bytes = Buffer.from(text, 'utf8')
    if (bytes.length > maxNoteBytes) throw fail('payload_too_large', { maxBytes: maxNoteBytes })
    return bytes
  }
  const write = async (content: Buffer, access: Partial<FileAccess>): Promise<Staged> => {
    await vault.files.makeRoom(content.length)
    return stage.add({ content, access })
  }
  const step = (path: string, files: Partial<Pick<Step, 'staged' | 'before' | 'after'>>): void => {
    steps.push({ path, held: newName(), staged: newName(), ...files })
  }
  const placed = ({ name, stamp: { ino, size, mtimeMs } }: Staged) => ({ staged: name, after: { ino, size, mtimeMs } })
  const audit = (change: TogetherChange['mutation'], evidence: TogetherChange['evidence'], after?: string): void => {
    audited.push({ mutation: change, evidence, after })
  }

  // The planned notes: those that are changed, moved or removed.
  const found = new Map<string, Pick<StoredNote, 'path' | 'stamp'> & Partial<StoredNote>>()
  for (const { path, baseline } of notes) {
    if (baseline === undefined || found.has(path)) continue
    const now = await findNote({ vault, path: parseVaultPath(path), maxNoteBytes })
    if (now?.baseline !== baseline) return undefined
    versions.remember({ vault, path, baseline }, now.text)
    found.set(path, now)
  }

  for (const { path, is, kind, action } of notes) {
    if (!is || kind === 'folder' || action === 'bring_back') continue
    const stamp = await stampAt(join(vault.layout.root, path))
    if (!stamp || !isSameFile(stamp, is)) return undefined
    found.set(path, { path: parseVaultPath(path), stamp })
  }

  // The new content of every note that changes, by its path before the revert.
  const contents = new Map<string, { before: FileStamp; staged: Staged; baseline: string }>()
  const edited = new Map(of('edit').map(({ path, text }) => [path, text]))
  let isStale = false
  const links =
    moved.size === 0
      ? { isCurrent: async () => true }
      : await planLinks({ vault, moved, edited }, async ({ path, stamp, access, content }) => {
          const known = found.get(path)
          if (known && !sameStamp(known.stamp, stamp)) isStale = true
          contents.set(path, { before: stamp, staged: await write(content, access), baseline: baselineOf(content) })
          if (!moved.has(path)) made.rewritten.push(path)
        })
  if (isStale) return undefined
  for (const [path, text] of edited) {
    const { stamp: before, access = {} } = found.get(path)!
    const bytes = bytesOf(text)
    if (!contents.has(path))
      contents.set(path, { before, staged: await write(bytes, access), baseline: baselineOf(bytes) })
  }

  for (const [path, { before, staged }] of contents) if (!moved.has(path)) step(path, { before, ...placed(staged) })
  for (const [from, to] of moved) {
    const before = found.get(from)!
    const staged = contents.get(from)?.staged ?? (await stage.link(before.path))
    step(before.path, { before: before.stamp })
    step(to, placed(staged))
    made.moved.push({ from: before.path, to })
    const undone = movedBack.find(({ path }) => path === from)?.undone
    audit({ by, tool: REVERT, path: before.path, to, before: before.baseline, undone }, placedAt(to, staged.stamp))
  }
  for (const note of [...of('edit'), ...of('bring_back').filter(({ kind }) => kind === 'note')]) {
    const { path, action, text, revisions, baseline, deletion, undone } = note
    const now = (action === 'edit' && found.get(path)?.text) || ''
    const bytes = bytesOf(text)
    const after = baselineOf(bytes)
    const written = await findRestoredWriters({ vault, path, now, text, revisions })
    const content = action === 'edit' ? contents.get(path) : undefined
    if (content) {
      const at = moved.get(path) ?? path
      audit({ by, tool: REVERT, path, before: baseline, undone }, placedAt(at, content.staged.stamp), after)
      made.edited.push({ path, bytes, written, stamp: content.staged.stamp })
    } else {
      const at = pathAfter(note) ?? path
      const staged = await write(bytes, await ownerAt(vault.files, at))
      step(at, placed(staged))
      const inTrash = deletion && (await noteInTrash(vault, { path, deletion, content: revisions[0]! }))
      for (const { path: file, before } of inTrash ? inTrash.files : []) step(file, { before })
      if (inTrash && inTrash.isWholeEntry) made.emptyEntries.push(deletion)
      audit({ by, tool: REVERT, path: at, undone }, placedAt(at, staged.stamp), after)
      if (at === path) made.created.push({ path, bytes, written, stamp: staged.stamp })
      else made.returned.push({ path, to: at, bytes, written, stamp: staged.stamp })
    }
    versions.remember({ vault, path: content ? path : (pathAfter(note) ?? path), baseline: after }, text)
  }
  for (const note of of('bring_back')) {
    const { is, deletion, undone } = note
    if (!is || deletion === undefined) continue
    const inTrash = entryPaths(deletion)
    const [content, entry] = await Promise.all(
      [inTrash.content, inTrash.entry].map((one) => stampAt(join(vault.layout.root, one))),
    )
    if (!content || !entry || !isSameFile(content, is)) return undefined
    const at = pathAfter(note)!
    const staged = await stage.link(inTrash.content)
    step(inTrash.content, { before: content })
    step(inTrash.entry, { before: entry })
    step(at, placed(staged))
    audit({ by, tool: REVERT, path: at, undone }, placedAt(at, staged.stamp))
    made.restored.push({ path: at, deletion })
  }
  for (const { path, kind, baseline, undone } of of('trash')) {
    const note = found.get(path)!
    const id = newEntryId(clock)
    const at = entryPaths(id)
    const text = entryText({ path, kind, deletedAt: clock.now().toISOString(), ...deleterOf(by) })
    step(note.path, { before: note.stamp })
    step(at.entry, placed(await write(Buffer.from(text), { ...(await ownerAt(vault.files, at.entry)), mode: 0o600 })))
    const content = await stage.link(note.path)
    step(at.content, placed(content))
    audit({ by, tool: REVERT, path, before: baseline, undone }, placedAt(at.content, content.stamp))
    made.trashed.push({ path: note.path, deletion: id })
  }

  for (const { path, to, isEmptied = false, undone } of folders) {
    audit({ by, tool: REVERT, path, to, undone }, { at: to, is: 'folder' })
    made.folders.push({ path, to, isEmptied })
  }
  const foldersDeepestFirst = folders
    .toSorted((a, b) => b.path.length - a.path.length)
    .map(({ path: from, to }) => ({ from, to }))
  const settings = await rewriteSettings(vault, foldersDeepestFirst)
  if (settings) {
    const staged = await write(settings.content, settings.access)
    step(settings.path, { before: settings.stamp, ...placed(staged) })
  }

  const fresh = steps.filter(({ before }) => !before).map(({ path }) => path)
  const free = [...moved].map(([from, to]) => ({ to, except: from }))
  const back = folders.map(({ path, to }) => ({ to, except: path }))
  const names = [
    ...free,
    ...back,
    ...of('bring_back').map((note) => ({ to: pathAfter(note) ?? note.path, except: note.path })),
  ]
  return {
    change: {
      format: 1,
      steps,
      folders: await missingFolders(vault.files, [...fresh, ...folders.map(({ to }) => `${to}/`)]),
      emptied: [...emptied, ...folders.flatMap(({ path, isEmptied }) => (isEmptied ? [path] : []))].toSorted(),
    },
    audited,
    async isCurrent() {
      for (const { to, except } of names) await refuseTwin(vault.files, to, { except })
      return links.isCurrent()
    },
    announce: () => announceRevert({ vault, by, made }),
    baselineAfter({ path, kind, action, text }) {
      if (kind !== 'note' || action === 'trash') return undefined
      return action === 'bring_back' ? baselineOf(bytesOf(text)) : (contents.get(path) ?? found.get(path))?.baseline
    },
  }
}
