import { Worker } from 'node:worker_threads'
import { indexFiles, type FilesToIndex } from './index-files.ts'
import { listVaultSync } from '../../files/read-vault-sync.ts'
import { writeSegment, type CollectedPart } from './write-segment.ts'

/** A vault to be indexed, the file to write the segment to, how many threads may read, and the daemon's process id. */
export type BuildRequest = { root: string; target: string; maxNoteBytes: number; threads: 1 | 2; owner: number }

// The bytes of postings in memory before they go to disk. This bounds the memory of a build of any size.
const POOL_BYTES = 48 * 1024 * 1024
// A second thread has tables of its own.
const POOL_BYTES_OF_TWO = 32 * 1024 * 1024
// The start of a second thread takes as long as reading a thousand files.
const WORTH_A_THREAD = 2000

/** Reads a whole vault and writes its segment; `beforeEachFile` may end it. */
export async function buildSegment(request: BuildRequest, beforeEachFile: () => void): Promise<void> {
  const { root, target, maxNoteBytes, threads, owner } = request
  const paths = listVaultSync(root)
  if (threads === 1 || paths.length < 2 * WORTH_A_THREAD) {
    const part = indexFiles({ root, paths, maxNoteBytes, target, poolBytes: POOL_BYTES }, beforeEachFile)
    return writeSegment(target, [part.finish()])
  }

  const half = paths.length >>> 1
  const files = { root, maxNoteBytes, poolBytes: POOL_BYTES_OF_TWO }
  const behind = indexInThread({ ...files, paths: paths.slice(half), target: `${target}.behind` }, owner)
  behind.catch(() => {})
  const part = indexFiles({ ...files, paths: paths.slice(0, half), target: `${target}.first` }, beforeEachFile)
  writeSegment(target, [part.finish(), await behind])
}

function indexInThread(files: FilesToIndex, owner: number): Promise<CollectedPart> {
  const worker = new Worker(new URL('./index-part.ts', import.meta.url), { workerData: { files, owner } })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread that reads a part of the vault ended with ${code}`)))
  })
}
