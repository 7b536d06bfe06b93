// Downloads without pause, in a process of its own: in one process with the small requests, the client would be the
// bottleneck.
import { answerParent } from '../part.ts'
import { measureDownload, type Endpoint } from './load.ts'

const MEGABYTES = 64

let running = false
let over = Promise.resolve()

async function downloadOn(endpoint: Endpoint): Promise<void> {
  while (running) await measureDownload(endpoint, MEGABYTES)
}

const answers = {
  start: (endpoint: Endpoint) => {
    running = true
    over = downloadOn(endpoint)
    over.catch(() => {}) // reported by `stop`
  },
  /** Resolves when the last download is complete; rejects if one failed. */
  stop: async () => {
    running = false
    await over
  },
}
export type BulkAnswers = typeof answers
answerParent(answers, async () => {})
