/** Runs a sync of something, or waits for one that others need too. */
export type GroupCommit = (key: string, sync: () => Promise<void>) => Promise<void>

type Group = { running: Promise<void>; next: Promise<void> | undefined }

/**
 * Shares syncs: whoever comes while one runs waits for the next, together with all others who come meanwhile. A caller
 * is never answered by a sync that began before the call, since that may have missed the caller's change.
 */
export function createGroupCommit(): GroupCommit {
  const groups = new Map<string, Group>()

  function start(key: string, sync: () => Promise<void>): Promise<void> {
    const group: Group = { running: sync(), next: undefined }
    groups.set(key, group)
    const finish = () => {
      if (groups.get(key) === group && !group.next) groups.delete(key)
    }
    group.running.then(finish, finish)
    return group.running
  }

  return (key, sync) => {
    const group = groups.get(key)
    if (!group) return start(key, sync)
    group.next ??= group.running.catch(() => {}).then(() => start(key, sync))
    return group.next
  }
}
