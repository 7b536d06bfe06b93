import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Sends a signal to a process that runs, and waits until it has ended; returns its exit code. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const over = once(child, 'exit')
  child.kill(signal)
  await over
  return child.exitCode
}
