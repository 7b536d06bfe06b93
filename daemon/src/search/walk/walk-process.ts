import { fork, type ChildProcess } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { WalkedVault } from '../../watch/walk-vault.ts'
import { childEnvironment } from '../../home/child-environment.ts'

/**
 * The vault to walk; the argument of the process is the segment that remembers its files. Any second message means that
 * its folders are watched.
 */
export type ToWalk = { root: string }

/** First the folders that the process will read, then the result, or the error. */
export type FromWalk = { folders: string[] } | { walked: WalkedVault | undefined } | { failed: string }

type Walk = ToWalk & { file: string; signal: AbortSignal; onFolders(folders: readonly string[]): void }

const program = new URL('./walk-program.ts', import.meta.url)

/** Walks large vaults, each in a process of its own. */
export type Walks = {
  /**
   * Starts the process of the largest vault whose index is below `folder`, while the daemon loads what opens the vault.
   */
  begin(folder: string): void
  /**
   * Compares a vault with its segment. `onFolders` watches the folders before they are read. Undefined when too much has
   * changed. Rejects when the process ends without a result.
   */
  walk(walk: Walk): Promise<WalkedVault | undefined>
  /** Ends what was begun and not needed. */
  close(): void
}

// An index of this size has some 20,000 notes.
const LARGE_BYTES = 32 * 1024 * 1024
const MEMORY_OF_A_WALK = 256 * 1024 ** 2
// The vault of an index may be gone.
const UNUSED_MS = 30_000

/** Whether there is memory for the process of a walk. */
export const hasRoomForWalk = () => process.availableMemory() >= MEMORY_OF_A_WALK

export function createWalks({ largeBytes = LARGE_BYTES } = {}): Walks {
  let begun: { file: string; child: ChildProcess } | undefined
  const close = () => {
    begun?.child.kill('SIGKILL')
    begun = undefined
  }
  return {
    begin(folder) {
      const file = largestSegment(folder, largeBytes)
      if (file === undefined || !hasRoomForWalk()) return
      const child = forkWalk(file)
      begun = { file, child }
      const forget = () => {
        if (begun?.child === child) begun = undefined
      }
      child.once('error', forget)
      child.once('exit', forget)
      setTimeout(() => begun?.child === child && close(), UNUSED_MS).unref()
    },
    async walk(walk) {
      walk.signal.throwIfAborted()
      const isBegun = begun?.file === walk.file
      const child = isBegun ? begun!.child : forkWalk(walk.file)
      if (isBegun) begun = undefined
      return walkInProcess(child, walk)
    },
    close,
  }
}

/** The largest segment in the folders of a folder; undefined when none is large, or when one cannot be looked at. */
function largestSegment(folder: string, largeBytes: number): string | undefined {
  let largest = { size: largeBytes, file: undefined as string | undefined }
  try {
    for (const vault of readdirSync(folder)) {
      const file = join(folder, vault, 'segment')
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size >= largest.size) largest = { size, file }
    }
  } catch {
    // A home that was never used has no index.
  }
  return largest.file
}

const forkWalk = (file: string): ChildProcess =>
  fork(program, [file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: childEnvironment(),
    execArgv: [],
    serialization: 'advanced',
  })

function walkInProcess(child: ChildProcess, { root, signal, onFolders }: Walk): Promise<WalkedVault | undefined> {
  return new Promise((resolve, reject) => {
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
    send({ root })
  })
}
