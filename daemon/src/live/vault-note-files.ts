import type { Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { identityKey, type VaultPath } from '../files/vault-path.ts'
import { findNote } from '../notes/stored-note.ts'
import type { WriteNote } from '../notes/write-note.ts'
import type { Vault } from '../vaults/vault.ts'
import type { NoteFiles } from './note-file.ts'
import { rescueText } from './rescue-text.ts'

type Deps = { vault: Vault; writeNote: WriteNote; maxNoteBytes: number; clock: Clock }

// Every push asks. In this time, pushes take little of the reserve.
const ROOM_KNOWN_MS = 1000

/** The notes of a vault for its live sessions. Paths come from sessions, whose notes were found under them. */
export function vaultNoteFiles({ vault, writeNote, maxNoteBytes, clock }: Deps): NoteFiles {
  let room: { askedAt: number; answer: Promise<void> } | undefined

  return {
    inQueue: (path, work) => vault.queue.run(identityKey(path), work),
    onDisk: (path) => vault.manifest.onDisk(path),
    isKnown: (path) => vault.manifest.hasFile(path),
    async find(path) {
      // The text of another vault's note would be merged into that of the session.
      await vault.refuseReplaced()
      return findNote({ vault, path: path as VaultPath, maxNoteBytes })
    },
    async write({ path, ...change }) {
      const { baseline } = await writeNote({ ...change, vault, path: path as VaultPath, tool: 'live_edit' })
      return baseline
    },
    refuseWhenFull() {
      const now = clock.monotonic()
      if (room === undefined || now - room.askedAt > ROOM_KNOWN_MS) {
        room = { askedAt: now, answer: refuseWhenFull(vault) }
        room.answer.catch(() => {})
      }
      return room.answer
    },
    rescue: (lost) => rescueText({ ...lost, vault, clock }),
  }
}

async function refuseWhenFull({ files }: Vault): Promise<void> {
  try {
    await files.makeRoom(0)
  } catch (error) {
    // Typing goes on while the folder of the vault is away: the log is elsewhere.
    if (isFailure(error, 'storage_full')) throw error
  }
}
