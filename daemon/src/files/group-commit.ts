/** Runs a sync, or waits for one that others need too. */
export type GroupCommit = (key: string, sync: () => Promise<void>) => Promise<void>

type Group = { running: Promise<void>; next: Promise<void> | undefined }

/**
 * Shares syncs: callers that arrive while one runs wait together for the next. A call never counts a sync that started
 * before it, which may have missed the caller's change.
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
