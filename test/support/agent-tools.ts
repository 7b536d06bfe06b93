import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { cachedOnce } from '../../setup/cache.mjs'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../agent-tools/', import.meta.url))
const FILES = ['package.json', 'package-lock.json']

/**
 * Third-party programs that test MCP servers, in the versions of `test/agent-tools`; installed once into the user's
 * cache.
 */
export async function agentTools() {
  const lock = await readFile(join(folder, 'package-lock.json'))
  const name = `agent-tools-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`
  const installed = await cachedOnce(name, async (target) => {
    for (const file of FILES) await copyFile(join(folder, file), join(target, file))
    // Scripts of packages are not run: these programs need none.
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: target })
  })
  const modules = join(installed, 'node_modules')
  const inspector = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

  return {
    /** Runs the inspector's CLI against an endpoint; returns its exit code and output. */
    inspect: async (url: string, args: string[], env: Record<string, string> = {}) => {
      // The default is 30 s. The first request to a daemon can take longer on a busy machine.
      const patience = ['--connect-timeout', '180000']
      const all = [inspector, '--cli', url, '--transport', 'http', ...patience, ...args]
      const options = { env: { PATH: process.env.PATH, HOME: installed, ...env }, maxBuffer: 16 * 1024 * 1024 }
      return run(process.execPath, all, options).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      )
    },
    /** The OAuth conformance tests of MCPJam. */
    mcpjam: (): Promise<Mcpjam> => import(pathToFileURL(join(modules, '@mcpjam/sdk/dist/index.js')).href),
  }
}

type Step = { step: string; status: 'passed' | 'failed' | 'skipped'; error?: { message: string } }
type Authorize = (input: { authorizationUrl: string }) => Promise<{ code: string }>

/** The used part of `@mcpjam/sdk`. Its own types need packages that are not installed here. */
export type Mcpjam = {
  OAuthConformanceTest: new (
    config: Record<string, unknown>,
    deps: {
      createInteractiveAuthorizationSession(options?: { redirectUrl?: string }): Promise<{
        redirectUrl: string
        authorize: Authorize
        stop(): Promise<void>
      }>
    },
  ) => {
    run(): Promise<{
      passed: boolean
      summary: string
      steps: Step[]
      verification?: { listTools?: { passed: boolean; toolCount?: number; error?: string } }
    }>
  }
}
