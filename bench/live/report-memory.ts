// Loaded into the daemon before its program. Reports the memory in use after a garbage collection.
import { setTimeout } from 'node:timers/promises'

/** Bytes of the heap and of buffers outside it. */
export type KeptMemory = number

process.on('message', async (message) => {
  if (message !== 'memory') return
  for (let nth = 0; nth < 3; nth++) {
    globalThis.gc!()
    await setTimeout(200)
  }
  const { heapUsed, external } = process.memoryUsage()
  process.send!(heapUsed + external)
})
