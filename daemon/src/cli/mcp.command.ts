import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import type { DaemonConfig } from '../config.ts'
import { replaceFile } from '../files/durable-file.ts'
import { readNamedFile } from '../files/regular-file.ts'
import { homeLayout } from '../home/home-layout.ts'
import { userHome } from '../home/user-home.ts'
import { launchOf } from '../mcp/agent-launch.ts'
import { clientConfiguration, clientIds, withEntry, type ClientConfiguration } from '../mcp/agent-clients.ts'
import { ensureDaemon } from './ensure-daemon.ts'
import { findDaemon } from './running-daemon.ts'

type Run = {
  args: readonly string[]
  config: () => DaemonConfig
  program: { node: string; script: string }
  out(text: string): void
  error(text: string): void
}

const HELP = `Usage: svcd mcp
       svcd mcp install [CLIENT] [--write] [--json]

svcd mcp connects an agent with the vaults of this machine: it speaks MCP on standard input and output, finds the
daemon of SVC_HOME and starts one where none runs. Agents start it; you need not.

svcd mcp install prints what to put into the configuration of an agent.
  CLIENT is one of: ${clientIds.join(', ')}.

  --write
      puts it there itself and keeps everything else in that file; a file that it cannot read is left as it is
  --json
      writes one JSON object to standard output, and nothing else
  --help
      this text

Exit codes: 0 done, 1 failed, 64 usage, 78 configuration.
`

/** `svcd mcp`: the bridge, and what configures agents to use it. Returns the exit code. */
export async function mcpCommand(run: Run): Promise<number> {
  const parsed = parse(run.args)
  if (typeof parsed === 'string') {
    run.error(`svcd: ${parsed}; see svcd mcp --help\n`)
    return exitCodes.usage
  }
  const { values, positionals } = parsed
  if (values.help) return (run.out(HELP), exitCodes.ok)
  if (positionals[0] === 'install') return install(run, { id: positionals[1], ...values })

  const layout = homeLayout(run.config().home)
  const report = (line: string) => run.error(`svcd: ${line}\n`)
  const { bridgeStdio } = await import('./stdio-bridge.ts')
  const address = () => ensureDaemon({ layout, program: run.program })
  const running = async () => (await findDaemon(layout, { tries: 1 }))?.address
  await bridgeStdio({ address, running, report })
  return exitCodes.ok
}

type Wish = { id: string | undefined; write?: boolean | undefined; json?: boolean | undefined }

async function install({ config: readConfig, program, out, error }: Run, { id, write, json }: Wish): Promise<number> {
  const launch = await launchOf({ config: readConfig(), program })
  const place = { platform: process.platform, home: userHome() ?? '', folder: process.cwd() }
  if (id === undefined) {
    const all = clientIds.map((each) => clientConfiguration(each, launch, place)!)
    out(json ? `${JSON.stringify(all)}\n` : all.map(asText).join('\n'))
    return exitCodes.ok
  }
  const configuration = clientConfiguration(id, launch, place)
  if (!configuration) {
    error(`svcd: ${id} is not known; take one of ${clientIds.join(', ')}\n`)
    return exitCodes.usage
  }
  if (!write) {
    out(json ? `${JSON.stringify(configuration)}\n` : asText(configuration))
    return exitCodes.ok
  }
  const old = await readNamedFile(configuration.file).catch((failure: { code?: string }) => {
    if (failure.code === 'ENOENT') return ''
    throw failure
  })
  const text = withEntry(old, configuration)
  if (text === undefined) {
    error(
      `svcd: ${configuration.file} cannot be changed without losing what is in it. Add this yourself:\n\n${configuration.text}`,
    )
    return exitCodes.failure
  }
  // Write through a link: people may store their settings elsewhere.
  const target = await realpath(configuration.file).catch(() => configuration.file)
  await mkdir(dirname(target), { recursive: true })
  await replaceFile(dirname(target), basename(target), text)
  out(
    json
      ? `${JSON.stringify({ file: configuration.file })}\n`
      : `${configuration.file} is written. Restart ${configuration.name}.\n`,
  )
  return exitCodes.ok
}

const asText = ({ name, file, text }: ClientConfiguration): string => `${name}: put this into ${file}\n\n${text}`

function parse(args: readonly string[]) {
  try {
    const options = {
      help: { type: 'boolean', short: 'h' },
      write: { type: 'boolean' },
      json: { type: 'boolean' },
    } as const
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    const [verb, , extra] = parsed.positionals
    if (parsed.values.help) return parsed
    if (verb !== undefined && verb !== 'install') return `${verb} is not known`
    if (extra !== undefined) return `${extra} is not expected`
    if (verb === undefined && (parsed.values.write || parsed.values.json)) return '--write and --json belong to install'
    if (parsed.values.write && parsed.positionals.length < 2) return '--write needs the name of a client'
    return parsed
  } catch (error) {
    return (error as Error).message.split('. ')[0]!
  }
}
