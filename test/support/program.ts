import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'
import { programEnvironment } from './program-environment.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const endWithParent = new URL('end-with-parent.ts', import.meta.url).href

type Options = { file: string; args?: string[]; environment: Record<string, string> }

/**
 * Runs a program of the repository to its end; throws its output if it failed. The program ends with the process that
 * started it.
 */
export async function runProgram(options: Options): Promise<void> {
  const { child, output } = launch(options)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${options.file} ended with ${code}:\n${output()}`)
}

/** Starts a program that keeps running, and waits until one of its addresses returns 200. */
export async function startProgram({ ready, ...options }: Options & { ready: string }) {
  const { child, output } = launch(options)
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await until(
      `${options.file} is ready`,
      async () => {
        if (child.exitCode !== null) throw new Error(`${options.file} ended with ${child.exitCode}`)
        return (await fetch(ready).catch(() => undefined))?.status === 200
      },
      { withinMs: 180_000 },
    )
  } catch (error) {
    await stop()
    throw new Error(`${(error as Error).message}\n${output()}`, { cause: error })
  }
  return { stop, output }
}

function launch({ file, args = [], environment }: Options) {
  const child = spawn(process.execPath, ['--import', endWithParent, file, ...args], {
    cwd: repository,
    env: programEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (more: string) => (text = (text + more).slice(-20_000)))
  return { child, output: () => text }
}
