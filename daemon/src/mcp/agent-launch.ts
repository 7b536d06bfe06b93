import { join } from 'node:path'
import { userHome } from '../home/user-home.ts'
import { isInPath } from '../login/in-path.ts'
import type { Launch } from './agent-clients.ts'

type Options = { config: { home: string; searchPath: string }; program: { node: string; script: string } }

/**
 * How a client starts the bridge: by the name `svcd` if a shell finds it, otherwise by the paths of the running
 * programs.
 */
export async function launchOf({ config, program }: Options): Promise<Launch> {
  const isFound = await isInPath(program.script, config.searchPath).catch(() => false)
  const env = config.home === join(userHome() ?? '', '.svc') ? {} : { SVC_HOME: config.home }
  if (isFound) return { command: 'svcd', args: ['mcp'], env: env as Record<string, string> }
  return { command: program.node, args: [program.script, 'mcp'], env: env as Record<string, string> }
}
