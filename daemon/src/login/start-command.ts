import { join } from 'node:path'
import { userHome } from '../home/user-home.ts'

type Start = { relayUrl: string; keyFile: string; home: string; command: string[] }

/** The command that starts a daemon with a stored key, for a POSIX shell. */
export function startCommand({ relayUrl, keyFile, home, command }: Start): string {
  const variables = { SVC_HOME: home, SVC_RELAY_URL: relayUrl, SVC_RELAY_TOKEN_FILE: keyFile }
  const given = Object.entries(variables).filter(([, value]) => value !== join(userHome() ?? '', '.svc'))
  return [...given.map(([name, value]) => `${name}=${quoted(value)}`), ...command.map(quoted)].join(' ')
}

/** A word that a shell takes literally. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
