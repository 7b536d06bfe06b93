import { fork } from 'node:child_process'
import type { WalkedVault } from '../../watch/walk-vault.ts'
import { childEnvironment } from '../../home/child-environment.ts'

/**
 * The vault to walk, and the segment that remembers its files. Any second message means that its folders are watched.
 */
export type ToWalk = { root: string; file: string }

/** First the folders that the process will read, then the result, or the error. */
export type FromWalk = { folders: string[] } | { walked: WalkedVault | undefined } | { failed: string }

type Walk = ToWalk & { signal: AbortSignal; onFolders(folders: readonly string[]): void }

const program = new URL('./walk-program.ts', import.meta.url)

/**
 * Compares a large vault with its segment in a separate process. `onFolders` watches the folders before they are read.
 * Undefined when too much has changed. Rejects when the process ends without a result.
 */
export function walkInProcess({ root, file, signal, onFolders }: Walk): Promise<WalkedVault | undefined> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = fork(program, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnvironment(),
      execArgv: [],
      serialization: 'advanced',
    })
    const stop = () => child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    const send = (message: ToWalk | 'watched') =>
      child.send(message, (error) => {
        if (error) stop()
      })
    child.on('message', (message: FromWalk) => {
      if ('folders' in message) {
        onFolders(message.folders)
        send('watched')
        return
      }
      if ('walked' in message) resolve(message.walked)
      else reject(new Error(message.failed))
      child.disconnect()
    })
    child.on('error', reject)
    child.once('exit', (code, killer) => {
      signal.removeEventListener('abort', stop)
      reject(new Error(`the process that goes through the vault ended with ${code ?? killer}`))
    })
    send({ root, file })
  })
}
