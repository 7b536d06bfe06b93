import type { Log } from '@svc/shared/kit/log.ts'
import { Manifest } from '../watch/manifest.ts'
import type { FollowVault, VaultChange, VaultFollower } from './vault-change.ts'

/** What the daemon knows of a vault. Only `publish` changes it, and every follower of the vault is notified. */
export type VaultView = {
  manifest: Manifest
  publish(change: VaultChange): void
  /** Called when all changes of a move have been published. */
  moveEnded(): void
  /** Runs a function that publishes what other programs have moved: each file as a new one and a deleted one. */
  withRenames(run: () => Promise<void>): Promise<void>
  /**
   * Called when every file that was there at opening has been published, except those that cannot be read and those in
   * unreadable folders; and again when files that could not be read have been published.
   */
  caughtUp(unreadable: readonly string[]): void
  /** Called when other files or folders than before cannot be read. */
  unreadChanged(): void
  /** Called when the daemon is about to stop. */
  stopping(): void
  /** Closes the followers, the last one first. */
  close(): Promise<void>
}

type Options = { id: string; root: string; follow: readonly FollowVault[]; log: Log }

/** A view with an empty manifest, and its followers. */
export function createVaultView({ id, root, follow, log }: Options): VaultView {
  const manifest = new Manifest()
  const followers = follow.map((begin) => begin({ id, root, manifest }))

  /** The file has changed already, so an error of a follower must not make the change fail. */
  function tell(run: (follower: VaultFollower) => void): void {
    for (const follower of followers)
      try {
        run(follower)
      } catch (error) {
        log.error({ err: error, vault: id }, 'a follower of a vault failed on a change of a file')
      }
  }

  return {
    manifest,
    publish(change) {
      applyTo(manifest, change)
      tell((follower) => follower.changed(change))
    },
    moveEnded: () => tell((follower) => follower.moveEnded?.()),
    async withRenames(run) {
      tell((follower) => follower.renamesBegin?.())
      try {
        await run()
      } finally {
        tell((follower) => follower.renamesEnd?.())
      }
    },
    caughtUp: (unreadable) => tell((follower) => follower.caughtUp?.(unreadable)),
    unreadChanged: () => tell((follower) => follower.unreadChanged?.()),
    stopping: () => tell((follower) => follower.stopping?.()),
    async close() {
      for (const follower of followers.toReversed()) await follower.close?.()
    },
  }
}

function applyTo(manifest: Manifest, change: VaultChange): void {
  switch (change.kind) {
    case 'folder_created':
      return manifest.putFolder(change.path)
    case 'folder_deleted':
      return manifest.removeFolder(change.path)
    case 'deleted':
      return manifest.removeFile(change.path)
    case 'folder_moved':
      return
    default:
      return manifest.putFile({ path: change.path, stamp: change.stamp, facts: change.content.facts })
  }
}
