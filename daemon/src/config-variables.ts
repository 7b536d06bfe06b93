import { flag, integer, nameList, oneOf, port, secretText, text, url, type Variable } from './environment.ts'

const MIB = 1024 * 1024

/** The environment variables of the daemon. Plain functions read them: a zod schema would add 10 ms to every start. */
export const variables = {
  SVC_HOST: { read: text, initial: '127.0.0.1', meaning: 'Address to listen on.' },
  SVC_PORT: { read: port, initial: 7382, meaning: 'Port of UI, API and MCP; 0 lets the system choose.' },
  SVC_HOME: { read: text, initial: '~/.svc', meaning: 'Folder of the vaults and of the daemon’s state.' },
  SVC_RELAY_URL: { read: text, meaning: 'Relay to dial, {base_url}/t/<org-id>; needs a token.' },
  SVC_RELAY_TOKEN: { read: secretText, meaning: 'Daemon key for the relay; needs SVC_RELAY_URL.' },
  SVC_RELAY_TOKEN_FILE: {
    read: text,
    meaning:
      'Instead of SVC_RELAY_TOKEN: a file with the key, or a folder with token and generation. The daemon watches it.',
  },
  SVC_ALLOW_INSECURE_RELAY: {
    read: flag,
    initial: false,
    meaning: 'Allow a relay without TLS that is not on this machine.',
  },
  HTTPS_PROXY: { read: url, meaning: 'Proxy to reach the relay through.' },
  NO_PROXY: { read: text, meaning: 'Hosts and domains that are reached without the proxy, separated by commas.' },
  SVC_LISTEN: {
    read: oneOf(['tcp', 'tunnel-only']),
    initial: 'tcp',
    meaning: 'tunnel-only: no TCP listener for data; the daemon is reachable only through its tunnel.',
  },
  SVC_PROBE_PORT: { read: port, meaning: 'Port of the content-free status listener.' },
  SVC_PROBE_HOST: { read: text, initial: '127.0.0.1', meaning: 'Address of the status listener.' },
  SVC_ALLOWED_HOSTS: {
    read: nameList,
    initial: [] as string[],
    meaning: 'Host names to serve besides localhost, separated by commas; a non-loopback SVC_HOST needs them.',
  },
  SVC_ALLOW_NON_LOOPBACK: {
    read: flag,
    initial: false,
    meaning: 'Allow SVC_HOST to be reachable from other machines, without login.',
  },
  SVC_LOG_LEVEL: {
    read: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    initial: 'info',
    meaning: 'Lowest level that is logged.',
  },
  SVC_LOG_FORMAT: {
    read: oneOf(['auto', 'json', 'text']),
    initial: 'auto',
    meaning: 'Format of the log: json for programs, text for people; auto is text on a terminal and json elsewhere.',
  },
  NO_COLOR: { read: text, meaning: 'Set to any value: text logs have no colours.' },
  SVC_MAX_NOTE_BYTES: {
    read: integer(1024, 256 * MIB),
    initial: 10 * MIB,
    meaning: 'Largest note; a larger Markdown file is an attachment.',
  },
  SVC_MAX_ATTACHMENT_BYTES: {
    read: integer(1024, 64 * 1024 * MIB),
    initial: 1024 * MIB,
    meaning: 'Largest attachment that can be stored.',
  },
  SVC_MAX_VAULTS: {
    read: integer(1, 10_000),
    initial: 64,
    meaning:
      'Maximum number of vaults that can be created or imported; directories created by hand are served above it too.',
  },
  SVC_MAX_IMPORT_BYTES: {
    read: integer(1024, 1024 * 1024 * MIB),
    initial: 10 * 1024 * MIB,
    meaning: 'Largest vault that can be imported, packed or unpacked.',
  },
  SVC_RESERVED_BYTES: {
    read: integer(0, 64 * 1024 * MIB),
    initial: 16 * MIB,
    meaning: 'Free bytes of the volume below which the daemon refuses to store; reading and deleting still work.',
  },
  SVC_WATCH: {
    read: oneOf(['auto', 'poll', 'off']),
    initial: 'auto',
    meaning:
      'How changes by other programs are noticed. auto: at once, and by polling on network disks; poll: every few seconds; off: only at the start.',
  },
  PATH: {
    read: text,
    initial: '/usr/local/bin:/usr/bin:/bin',
    meaning: 'Folders in which the daemon looks for git; without git, notes have no history.',
  },
  SVC_SEARCH_DEADLINE_MS: {
    read: integer(10, 60_000),
    initial: 1000,
    meaning: 'Milliseconds after which a search or a query of links returns what it has found.',
  },
} as const satisfies Record<string, Variable>
