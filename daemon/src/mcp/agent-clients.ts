/** How an MCP client starts `svcd mcp`. */
export type Launch = { command: string; args: string[]; env: Record<string, string> }

type Place = { platform: string; home: string; folder: string }
type Client = {
  name: string
  /** The file that the client reads. `folder` is the project where one starts the client. */
  file(place: Place): string
  form:
    | { kind: 'json'; container: string; entry(launch: Launch): Record<string, unknown> }
    | { kind: 'toml'; table: string }
}

/** A configuration as a person copies it, and as it is written to the file of the client. */
export type ClientConfiguration = {
  id: string
  name: string
  file: string
  kind: 'json' | 'toml'
  text: string
  container: string
  entry: Record<string, unknown>
}

const SERVER = 'svc'

const plain = ({ command, args, env }: Launch) => ({ command, args, ...(Object.keys(env).length > 0 && { env }) })
const typed = (launch: Launch) => ({ type: 'stdio', ...plain(launch) })
const settings = ({ platform, home }: Place): string => {
  if (platform === 'darwin') return `${home}/Library/Application Support`
  return platform === 'win32' ? `${home}/AppData/Roaming` : `${home}/.config`
}
const servers = { kind: 'json', container: 'mcpServers', entry: plain } as const

const clients: Readonly<Record<string, Client>> = {
  'claude-desktop': {
    name: 'Claude Desktop',
    file: (place) => `${settings(place)}/Claude/claude_desktop_config.json`,
    form: servers,
  },
  'claude-code': {
    name: 'Claude Code',
    file: ({ folder }) => `${folder}/.mcp.json`,
    form: { ...servers, entry: typed },
  },
  cursor: { name: 'Cursor', file: ({ home }) => `${home}/.cursor/mcp.json`, form: servers },
  vscode: {
    name: 'VS Code',
    file: (place) => `${settings(place)}/Code/User/mcp.json`,
    form: { kind: 'json', container: 'servers', entry: typed },
  },
  codex: {
    name: 'Codex',
    file: ({ home }) => `${home}/.codex/config.toml`,
    form: { kind: 'toml', table: 'mcp_servers' },
  },
  zed: {
    name: 'Zed',
    file: ({ home, platform }) =>
      platform === 'win32' ? `${home}/AppData/Roaming/Zed/settings.json` : `${home}/.config/zed/settings.json`,
    form: { kind: 'json', container: 'context_servers', entry: plain },
  },
  windsurf: { name: 'Windsurf', file: ({ home }) => `${home}/.codeium/windsurf/mcp_config.json`, form: servers },
  gemini: { name: 'Gemini CLI', file: ({ home }) => `${home}/.gemini/settings.json`, form: servers },
}

/** Names of the known clients, as `svcd mcp install` takes them. */
export const clientIds: readonly string[] = Object.keys(clients)

/** The configuration of one client; undefined for an unknown one. Pure. */
export function clientConfiguration(id: string, launch: Launch, place: Place): ClientConfiguration | undefined {
  const client = Object.hasOwn(clients, id) ? clients[id] : undefined
  if (!client) return undefined
  const { name, form } = client
  const common = { id, name, file: client.file(place), kind: form.kind }
  if (form.kind === 'toml')
    return { ...common, container: form.table, entry: plain(launch), text: toToml(form.table, launch) }
  const entry = form.entry(launch)
  const text = `${JSON.stringify({ [form.container]: { [SERVER]: entry } }, undefined, 2)}\n`
  return { ...common, container: form.container, entry, text }
}

/**
 * The file with the entry for this daemon; undefined if it cannot be changed without losing some of its content. Pure.
 */
export function withEntry(old: string, { kind, container, entry, text }: ClientConfiguration): string | undefined {
  if (old.trim() === '') return text
  if (kind === 'toml') {
    const isThere = old.split('\n').some((line) => line.trim().startsWith(`[${container}.${SERVER}`))
    return isThere ? undefined : `${old.trimEnd()}\n\n${text}`
  }
  const parsed = parseObject(old)
  const inside = parsed?.[container] ?? {}
  if (!parsed || !isObject(inside)) return undefined
  return `${JSON.stringify({ ...parsed, [container]: { ...inside, [SERVER]: entry } }, undefined, 2)}\n`
}

// JSON strings are TOML basic strings except for DEL, which none of our paths contains.
function toToml(table: string, { command, args, env }: Launch): string {
  const lines = [`[${table}.${SERVER}]`, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  if (variables.length > 0) lines.push(`env = { ${variables.join(', ')} }`)
  return `${lines.join('\n')}\n`
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
