import type { ChangeStream } from '../events/change-stream.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { resourceUri } from '@svc/shared/wire/mcp/resource-uri.ts'

/** Notifies those who follow a resource that its file was created, changed or removed. */
export type ResourceUpdates = {
  /** Calls the listener with the URI of each file that changes from now on, until the returned function is called. */
  listen(listener: (uri: string) => void): () => void
  /** Follows also the vaults that were opened since. Call it when a listener follows one more resource. */
  followNew(): void
  close(): void
}

type Deps = { registry: VaultRegistry; changesOf: (vault: Vault) => ChangeStream }

/** Follows every vault while anybody listens. */
export function resourceUpdates({ registry, changesOf }: Deps): ResourceUpdates {
  const listeners = new Set<(uri: string) => void>()
  const followed = new Map<Vault, () => void>()

  function followNew(): void {
    if (listeners.size === 0) return
    for (const vault of registry.list()) {
      if (followed.has(vault)) continue
      const tell = ({ change }: { change: { what: string; path: string } }) => {
        if (change.what === 'folder') return
        const uri = resourceUri({ vaultId: vault.id, path: change.path })
        for (const listener of listeners) listener(uri)
      }
      const closed = () => void followed.delete(vault)
      followed.set(vault, changesOf(vault).subscribe(tell, closed))
    }
  }

  function close(): void {
    for (const stop of followed.values()) stop()
    followed.clear()
  }

  return {
    listen(listener) {
      listeners.add(listener)
      followNew()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) close()
      }
    },
    followNew,
    close,
  }
}
