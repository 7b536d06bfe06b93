import type { ChangeEvent } from '@svc/shared/wire/daemon/daemon.api.ts'
import { actorId } from '../entry/actor.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import { perVault, type PerVault, type VaultChange, type VaultFollower } from '../vaults/vault-change.ts'
import { createChangeStream, type ChangeStream } from './change-stream.ts'

/** Creates the change stream of every vault. */
export function followChanges(): PerVault<ChangeStream & VaultFollower> {
  return perVault(() => {
    const stream = createChangeStream()
    let isOpening = true
    return {
      ...stream,
      changed(change) {
        const event = toEvent(change)
        // Folders found while the vault is opened are no changes.
        if (event && !(isOpening && event.what === 'folder')) stream.publish(event)
      },
      caughtUp: () => void (isOpening = false),
      // A file that is remembered or found causes no event when it can be read again, but the tree names the unread ones.
      unreadChanged: () => stream.publish({ kind: 'changed', what: 'folder', path: '', origin: 'outside' }),
      async close() {
        stream.end()
      },
    }
  })
}

function toEvent(change: VaultChange): ChangeEvent | undefined {
  const { path, origin } = change
  const by =
    origin.kind === 'api' ? { origin: 'api' as const, actor: actorId(origin.by) } : { origin: 'outside' as const }
  switch (change.kind) {
    case 'folder_created':
      return { kind: 'created', what: 'folder', path, ...by }
    case 'folder_deleted':
      return { kind: 'deleted', what: 'folder', path, ...by }
    case 'deleted':
      return { kind: 'deleted', what: change.before?.kind ?? kindByName(path), path, ...by }
    case 'created':
    case 'changed': {
      const { facts } = change.content
      const baseline = facts.kind === 'note' ? facts.baseline : undefined
      return { kind: change.kind, what: facts.kind, path, baseline, ...by }
    }
    case 'found':
    case 'touched':
    case 'folder_moved':
      return undefined
  }
}

/** What a file probably was that is gone and had not been read. */
const kindByName = (path: string) => (isMarkdownName(path) ? 'note' : 'attachment')
