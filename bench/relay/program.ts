import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { until } from '../../test/support/until.ts'

type Owner = { uid?: number; gid?: number }

/** Path of a program of the machine; undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$0"', name])
  return stdout.toString().trim() || undefined
}

/** Starts a program that ends with the bench, and returns its process id. */
export function startProgram(command: string, args: string[], owner: Owner = {}): number {
  const child = spawn(command, args, { stdio: 'ignore', ...owner })
  process.on('exit', () => child.kill())
  if (child.pid === undefined) throw new Error(`${command} did not start`)
  return child.pid
}

/** Waits until something listens on a port of loopback. */
export async function untilListening(port: number): Promise<void> {
  await until(`something listens on ${port}`, async () => {
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return open
  })
}
