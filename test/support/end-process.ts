import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { refuseSecretsOfProcesses } from './process-secrets.ts'

/**
 * Sends a signal to a running process and waits until it has ended; returns its exit code. Fails if the process exposed
 * a secret to other users. With SIGKILL this is not checked, because the check would delay the kill.
 */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const over = once(child, 'exit')
  const looked = signal === 'SIGKILL' ? undefined : await leakOf(child)
  child.kill(signal)
  await over
  if (looked !== undefined) throw looked
  return child.exitCode
}

/** Removes a process that a test no longer needs. */
export async function removeProcess(child: ChildProcess): Promise<void> {
  const looked = await leakOf(child)
  await endProcess(child, 'SIGKILL')
  if (looked !== undefined) throw looked
}

const leakOf = ({ pid }: ChildProcess): Promise<Error | undefined> =>
  pid === undefined
    ? Promise.resolve(undefined)
    : refuseSecretsOfProcesses(pid).then(
        () => undefined,
        (error: Error) => error,
      )
