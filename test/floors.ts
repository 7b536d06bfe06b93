/**
 * The floors of each part. A file may import, values and types alike, from its own floor and from those below it.
 * architecture.test.ts enforces it, and the picture in docs/ARCHITECTURE.md is drawn from it.
 */
export type Building = {
  /** Where the folders lie. */
  root: string
  /** Lowest floor first. A name is a folder, one file, `*.routes` for route files, or `app` for files beside the folders. */
  floors: readonly (readonly string[])[]
  /** Files that belong on the floor of another folder. The list only shrinks: an entry that is not needed fails the test. */
  misplaced: Record<string, { floor: string; because: string }>
}

export const buildings: readonly Building[] = [
  {
    root: 'shared',
    floors: [['wire'], ['client', 'kit', 'http', 'design', 'diagram'], ['mux']],
    misplaced: {},
  },
  {
    root: 'operator/src',
    floors: [['config.ts'], ['crd'], ['managed-daemon'], ['runtime', 'reconciler'], ['app']],
    misplaced: {
      'runtime/runtime.ts': {
        floor: 'managed-daemon',
        because: 'the port to the runtimes belongs to the plan that uses it, not to those that implement it',
      },
    },
  },
  {
    root: 'control-plane/src',
    floors: [
      ['config.ts', 'config-rules.ts', 'config-variables.ts'],
      ['db'],
      ['http'],
      ['pages'],
      ['mail', 'billing', 'registry', 'jobs', 'audit', 'sign-in', 'downloads', 'changes'],
      ['accounts'],
      ['entry'],
      ['organizations', 'daemon-keys', 'managed-daemons', 'setup', 'integrations'],
      ['oauth'],
      ['limits'],
      ['tunnels', 'replicas'],
      ['gateway', 'vaults'],
      ['operations'],
      ['effects', 'rollouts', 'inventory', 'idle-sleep', 'backups'],
      ['organization-lifecycle'],
      ['mcp'],
      ['cli', 'app'],
    ],
    misplaced: {},
  },
  {
    root: 'daemon/src',
    floors: [
      ['home', 'files'],
      ['markdown', 'journal'],
      ['edits'],
      ['note-jobs'],
      ['entry'],
      ['http'],
      ['audit', 'watch'],
      ['vaults'],
      ['history', 'storage', 'events', 'metrics', 'person'],
      ['trash'],
      ['notes', 'folders'],
      ['attachments', 'authors', 'links', 'news', 'search'],
      ['moves', 'archives', 'backups'],
      ['reverts'],
      ['live'],
      ['relay'],
      ['config.ts', 'config-variables.ts', 'environment.ts', 'status', 'diagnosis', 'login', 'mcp'],
      ['*.routes'],
      ['cli', 'app'],
    ],
    misplaced: {},
  },
]
