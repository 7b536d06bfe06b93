// A thread that reads a part of a vault, beside the thread that reads the other one and writes the segment.
import { parentPort, workerData } from 'node:worker_threads'
import { indexFiles, type FilesToIndex } from './index-files.ts'

const { files, owner } = workerData as { files: FilesToIndex; owner: number }
const part = indexFiles(files, () => {
  // See build-segment.ts.
  if (process.ppid !== owner) throw new Error('the daemon has ended')
})
part.spill()
const { part: finished } = part.finish()
const { sections, terms, termEnds, sizes, runs } = finished
const arrays = [...Object.values(sections), terms, termEnds, sizes, ...runs.map(({ lengths }) => lengths)]
parentPort!.postMessage(
  finished,
  arrays.map(({ buffer }) => buffer as ArrayBuffer),
)
