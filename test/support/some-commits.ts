import type { VaultCommit } from '../../daemon/src/history/vault-commits.ts'

/** The agent whose work is undone, and somebody else. */
export const agent = { id: 'mcp_client', name: 'Archivist' }
export const person = { id: 'usr_a', name: 'Ada' }
export const isMine = ({ id }: { id: string }) => id === agent.id

/** A commit by somebody; fields that are not given are empty. */
export const commit = (author: typeof agent, given: Partial<VaultCommit>): VaultCommit => ({
  rev: 'r',
  parent: '',
  deletions: [],
  author,
  atMs: 0,
  isFound: false,
  changes: 1,
  written: undefined,
  renames: [],
  moved: [],
  files: [],
  ...given,
})
