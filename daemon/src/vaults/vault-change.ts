import { fail } from '@svc/shared/wire/errors.ts'
import type { LineRuns } from '../edits/line-runs.ts'
import type { Actor } from '../entry/actor.ts'
import type { LineAuthor } from '../entry/author.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import type { FileFacts, NoteFacts } from '../markdown/note-facts.ts'
import type { Manifest } from '../watch/manifest.ts'

/** The content of a file. A note includes its text, which is read once for all followers of the vault. */
export type FileContent =
  | { facts: NoteFacts; tags: readonly string[]; properties: Record<string, unknown>; bytes: Buffer; text: string }
  | { facts: { kind: 'attachment' } }

/** The authors of the lines that one write changed, when the writer is not the only author. */
export type WrittenLines = LineRuns<LineAuthor | undefined>

/** The origin of a change: a request to the daemon, or another program that wrote the file. */
export type ChangeOrigin =
  { kind: 'api'; by: Actor; move?: MoveOfChange | undefined; written?: WrittenLines | undefined } | { kind: 'outside' }

/** Another program has made a change. */
export const outsideOrigin: ChangeOrigin = { kind: 'outside' }

/**
 * The move that a change belongs to. A file leaves its old path and appears at the new one in one turn of the event
 * loop. Changes of other files may come between the changes of two moved files.
 */
export type MoveOfChange = { id: string; from: string; to: string }

/** The path from which a file was deleted that was restored at another one, and the name of that deletion. */
export type RestoredFrom = { from: string; deletion: string }

/**
 * A change of one file or folder of a vault. `found`: the file was there when the vault was opened and has now been
 * read for the first time; a file that is remembered from an earlier run is not published. `touched`: the stamp has
 * changed, the content has not.
 */
export type VaultChange =
  | {
      kind: 'found' | 'created' | 'changed' | 'touched'
      path: string
      stamp: FileStamp
      content: FileContent
      /** The content of a note before the daemon itself changed it. */
      overwritten?: Buffer | undefined
      restored?: RestoredFrom | undefined
      origin: ChangeOrigin
    }
  | {
      kind: 'deleted'
      path: string
      /** The facts of the file before, as far as it had been read. */
      before: FileFacts | undefined
      /** The content of a note before it was moved. */
      bytesBefore?: Buffer | undefined
      /** Its last known stamp, where the daemon itself removed it. */
      stamp?: FileStamp | undefined
      /** Names the deletion in the history. */
      deletion?: string | undefined
      /** It was deleted for good: nothing of it may be kept. */
      isErased?: true | undefined
      origin: ChangeOrigin
    }
  | { kind: 'folder_created'; path: string; origin: ChangeOrigin }
  | { kind: 'folder_deleted'; path: string; origin: ChangeOrigin }
  /**
   * Published after `folder_created` of the new folder and the changes of its files, and before `folder_deleted` of the
   * old one. Without `from`, it is a folder that was created above the target of a move.
   */
  | { kind: 'folder_moved'; path: string; from: string | undefined; stamp: FileStamp; origin: ChangeOrigin }

/** What a follower may know of the vault that it follows. */
export type FollowedVault = { id: string; root: string; manifest: Manifest }

/** A part of the daemon that keeps something in step with the files of one vault. */
export type VaultFollower = {
  /**
   * Called for every change after the manifest has been updated; changes of one path come in order. It must neither
   * wait nor throw: the file has been changed already.
   */
  changed(change: VaultChange): void
  /** Called after all changes of a move. Moves in a vault run one after the other. */
  moveEnded?(): void
  /** The changes until `renamesEnd` are those of one look at the disk, and may be the halves of renames. */
  renamesBegin?(): void
  renamesEnd?(): void
  /**
   * Called when every file that was there at opening and can be read has been found, and again when files that could
   * not be read have been found. `unreadable` are the folders that could not be read: their files must not be treated
   * as deleted.
   */
  caughtUp?(unreadable: readonly string[]): void
  /** Called when other files or folders than before cannot be read. */
  unreadChanged?(): void
  /**
   * Called when the daemon is about to stop, before the last requests have ended. Aborts work that can wait until the
   * next start.
   */
  stopping?(): void
  close?(): Promise<void>
}

/** Begins to follow a vault that is being opened. */
export type FollowVault = (vault: FollowedVault) => VaultFollower

/** A part of the daemon that has one piece for each open vault. */
export type PerVault<Piece> = { follow: FollowVault; of(vault: { id: string }): Piece }

/** Keeps one piece for each open vault: `follow` opens it with the vault, `of` finds it. */
export function perVault<Piece extends VaultFollower>(open: (vault: FollowedVault) => Piece): PerVault<Piece> {
  const pieces = new Map<string, Piece>()
  return {
    follow(vault) {
      const piece = open(vault)
      pieces.set(vault.id, piece)
      return {
        ...piece,
        async close() {
          pieces.delete(vault.id)
          await piece.close?.()
        },
      }
    },
    of({ id }) {
      const piece = pieces.get(id)
      if (!piece) throw fail('vault_closing') // found before it was closed
      return piece
    },
  }
}

/** The kind of a change of a file, from what is known of the file and its present content. */
export function kindOfChange(known: { facts: FileContent['facts'] | undefined } | undefined, { facts }: FileContent) {
  if (!known) return 'created'
  if (!known.facts) return 'found'
  const isSame = known.facts.kind === 'note' && facts.kind === 'note' && known.facts.baseline === facts.baseline
  return isSame ? 'touched' : 'changed'
}
