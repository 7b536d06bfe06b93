import type { z } from 'zod'
import type { Note } from '@svc/shared/wire/daemon.api.ts'
import type { VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { readProperties } from './frontmatter.ts'
import { outlineOf, titleOf } from './outline.ts'
import type { RecentVersions } from './recent-versions.ts'
import { storedNote, type StoredNote } from './stored-note.ts'

/** A note as answered by REST and MCP. */
export type NoteView = z.infer<typeof Note>['note']

/** Reads a note as it is on disk now; never from a cache and never writing. */
export type ReadNote = (vault: Vault, path: VaultPath) => Promise<NoteView>

/** Makes the reader. */
export function readNote({ versions, maxNoteBytes }: { versions: RecentVersions; maxNoteBytes: number }): ReadNote {
  return async (vault, path) => {
    const note = await storedNote({ vault, path, maxNoteBytes })
    versions.remember({ vault, path: note.path, baseline: note.baseline }, note.text)
    return toView(note)
  }
}

function toView({ path, text, baseline, bytes, stamp }: StoredNote): NoteView {
  const outline = outlineOf(text)
  const { values: properties, problem } = readProperties(text)
  return {
    path,
    title: titleOf(path, outline),
    content: text,
    baseline,
    properties,
    ...(problem && { problem }),
    outline: outline.map(({ level, text, line }) => ({ level, text, line })),
    size: bytes.length,
    modifiedAt: new Date(stamp.mtimeMs).toISOString(),
  }
}
