// A thread that reads a part of a vault, beside the thread that reads the other one and writes the segment.
import { parentPort, workerData } from 'node:worker_threads'
import { indexFiles, type FilesToIndex } from './index-files.ts'

const { files, owner } = workerData as { files: FilesToIndex; owner: number }
const collected = indexFiles(files, () => {
  // See build-segment.ts.
  if (process.ppid !== owner) throw new Error('the daemon has ended')
}).finish()
const { part, rest } = collected
const { sections, terms, termEnds, numbers, pairs, runs } = part
const lists = [...Object.values(sections), terms, termEnds, numbers, ...pairs, ...runs.map(({ lengths }) => lengths)]
const postings = rest.buckets.flatMap(({ bytes, starts, lengths }) => [bytes, starts, lengths])
// Handed over, not copied.
parentPort!.postMessage(
  collected,
  [...lists, rest.order, ...postings].map(({ buffer }) => buffer as ArrayBuffer),
)
