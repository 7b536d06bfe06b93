import type { ChangeStream } from '../events/change-stream.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { createFollowedFiles, type FollowedFiles } from './resources/followed-files.ts'

/** A client that follows resources. */
export type Follower = {
  /** Follows one more resource, also one that does not exist yet. */
  follow(uri: string): void
  /** Takes back one `follow`. */
  unfollow(uri: string): void
  close(): void
}

/** Notifies those who follow a resource that its file was created, changed or removed. */
export type ResourceUpdates = {
  /** Begins with no resource; `tell` gets the address of a changed file as the follower gave it. */
  follower(tell: (uri: string) => void): Follower
  close(): void
}

type Deps = {
  registry: Pick<VaultRegistry, 'list' | 'onOpened'>
  changesOf: (vault: Vault) => ChangeStream
}

/** Follows every vault while there is any follower. */
export function resourceUpdates({ registry, changesOf }: Deps): ResourceUpdates {
  const followers = new Map<FollowedFiles, (uri: string) => void>()
  const followed = new Map<Vault, () => void>()

  function followVault(vault: Vault): void {
    const tell = ({ change }: { change: { what: string; path: string } }) => {
      if (change.what === 'folder') return
      for (const [files, told] of followers) files.of({ vaultId: vault.id, path: change.path }).forEach(told)
    }
    const closed = () => void followed.delete(vault)
    followed.set(vault, changesOf(vault).subscribe(tell, closed))
  }

  function stopAll(): void {
    for (const stop of followed.values()) stop()
    followed.clear()
  }

  const stopHearing = registry.onOpened((vault) => {
    if (followers.size === 0) return
    followVault(vault)
    // Whatever was changed while it was away.
    for (const [files, told] of followers) files.inVault(vault.id).forEach(told)
  })

  return {
    follower(tell) {
      const files = createFollowedFiles()
      if (followers.size === 0) registry.list().forEach(followVault)
      followers.set(files, tell)
      return {
        follow: files.add,
        unfollow: files.remove,
        close() {
          followers.delete(files)
          if (followers.size === 0) stopAll()
        },
      }
    },
    close() {
      stopHearing()
      stopAll()
    },
  }
}
