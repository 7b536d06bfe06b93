import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../audit/actor.ts'
import { placeNew, placeOver, stageBytes } from '../files/durable-file.ts'
import { sameStamp, type FileStamp } from '../files/open-file.ts'
import { openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { refuseTwin } from '../files/refuse-twin.ts'
import { identityKey, parseNewPath, splitPath, type VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { stampAt } from '../watch/list-folder.ts'
import { baselineOf } from './baseline.ts'
import type { RecentVersions } from './recent-versions.ts'
import { findNote, type StoredNote } from './stored-note.ts'

/** A change of one note: `next` sees the note as it is (or that there is none) and gives its new text, or fails. */
export type NoteChange = {
  vault: Vault
  path: VaultPath
  by: Actor
  tool: string
  next(current: StoredNote | undefined): string | Promise<string>
}

export type WrittenNote = { path: string; baseline: string; created: boolean }

/** The only writer of notes. What it answers as written survives a kill and a power loss. */
export type WriteNote = (change: NoteChange) => Promise<WrittenNote>

// An outside writer may come between reading and placing; `next` then decides again on what is there.
const MAX_ATTEMPTS = 5

/** Makes the writer. */
export function writeNote({ versions, maxNoteBytes }: { versions: RecentVersions; maxNoteBytes: number }): WriteNote {
  async function attempt({ vault, path, by, tool, next }: NoteChange): Promise<WrittenNote | undefined> {
    const current = await findNote({ vault, path, maxNoteBytes })
    if (current) versions.remember({ vault, path: current.path, baseline: current.baseline }, current.text)
    const text = await next(current)
    const bytes = encode(text)
    if (bytes.length > maxNoteBytes) throw fail('payload_too_large', { maxBytes: maxNoteBytes })

    const baseline = baselineOf(bytes)
    if (current && current.bytes.equals(bytes)) return { path: current.path, baseline, created: false }

    const target = current?.path ?? parseNewPath(path)
    const stamp = current ? await replace(vault, current, bytes) : await create(vault, target, bytes)
    if (!stamp) return undefined

    versions.remember({ vault, path: target, baseline }, text)
    await vault.wrote({ path: target, stamp, bytes, created: current === undefined, by })
    await vault.audit.record({ by, tool, path: target, before: current?.baseline, after: baseline })
    return { path: target, baseline, created: current === undefined }
  }

  return (change) =>
    change.vault.queue.run(identityKey(change.path), async () => {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const written = await attempt(change)
        if (written) return written
      }
      // What is in the way is never readable as a note: a folder, a link or a device.
      throw fail('path_conflict', { existing: change.path })
    })
}

function encode(text: string): Buffer {
  if (!text.isWellFormed()) throw fail('invalid_request', [{ path: 'content', message: 'is not well-formed Unicode' }])
  return Buffer.from(text, 'utf8')
}

async function replace(vault: Vault, current: StoredNote, bytes: Buffer): Promise<FileStamp | undefined> {
  const { folders, name } = splitPath(current.path)
  const staged = await stageBytes(vault.layout.root, bytes, current.mode)
  const folder = await openFolder(vault.layout.root, folders).catch(async (error: unknown) => {
    await staged.discard()
    throw error
  })
  try {
    const now = await stampAt(folder.at(name))
    if (!now || !sameStamp(now, current.stamp)) return undefined
    return await placeOver(staged, folder, name)
  } finally {
    await staged.discard()
    await folder.close()
  }
}

/** New names are made one at a time, so that two of them cannot become twins. */
function create(vault: Vault, path: string, bytes: Buffer): Promise<FileStamp | undefined> {
  return vault.queue.run('/new', async () => {
    await refuseTwin(vault.layout.root, path)
    const { folders, name } = splitPath(path)
    const staged = await stageBytes(vault.layout.root, bytes)
    try {
      const folder = await openOrMakeFolder(vault.layout.root, folders)
      try {
        return await placeNew(staged, folder, name)
      } finally {
        await folder.close()
      }
    } finally {
      await staged.discard()
    }
  })
}
