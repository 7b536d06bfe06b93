import type { Command, Option } from './command.ts'

const EXIT_CODES = `Exit codes
  0   done
  1   the operation failed, or it is refused
  64  the command line is not usable
  75  try again: the same operation may succeed later (in progress, retryable, unreachable)
  78  the configuration is not usable: a variable is missing`

const ENVIRONMENT = `Environment
  SVC_ADMIN_URL               Origin of the control plane; unset: BASE_URL, which its own pods have
  MANAGED_DAEMON_ADMIN_TOKEN  Bearer token of the image route (image roll alone)
  SVC_ADMIN_SESSION           Session cookie, name=value (all other commands)
  SVC_ADMIN_PASSWORD          Password of --email
  SVC_ADMIN_CODE              Code of the authenticator app of --email, or a recovery code, where it has one
  Secrets come from here, from a file descriptor (--token-fd 3 3<file) or from a prompt; as arguments they are refused.
  bootstrap, outbox and --on-database read the environment of the control plane.`

/** The text of `svc-admin --help`. */
export function helpOfAll(commands: Command[], common: Record<string, Option>): string {
  const rows = commands.map(({ words, summary }): [string, string] => [words, summary])
  return `svc-admin <command> [options]: administers the platform; answers one JSON object.

Commands
${table(rows)}

Options of every command
${optionTable(common)}

${ENVIRONMENT}

${EXIT_CODES}
`
}

/** The text of `svc-admin <command> --help`. */
export function helpOf({ words, summary, options }: Command, common: Record<string, Option>): string {
  return `svc-admin ${words}: ${summary}

Options
${optionTable(options)}

Options of every command
${optionTable(common)}

${ENVIRONMENT}

${EXIT_CODES}
`
}

function optionTable(options: Record<string, Option>): string {
  return table(
    Object.entries(options).map(([name, { type, describe, required }]) => [
      `--${name}${type === 'string' ? ' <value>' : ''}`,
      `${describe}${required ? ' Required.' : ''}`,
    ]),
  )
}

function table(rows: [string, string][]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
