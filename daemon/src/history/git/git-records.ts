import { gitChunks } from './git-process.ts'

/** The byte between two records in the output of git. */
export const RECORD = '\u001e'
const SEPARATOR = RECORD.charCodeAt(0)
const TIMEOUT_MS = 60_000
const MAX_BYTES = 32 * 1024 * 1024

type Run = {
  gitDir: string
  searchPath: string
  args: readonly string[]
  /** Called with each record; 'stop' ends the reading. */
  visit(record: string): 'stop' | void
  maxBytes?: number
  /** Ends git, and fails. */
  signal?: AbortSignal | undefined
}

/**
 * Reads the output of git record by record as it arrives: a log can be much larger than what is kept of it. `isCut` if
 * it is longer than the limit; then only the complete records before the limit are visited.
 */
export async function gitRecords({ gitDir, searchPath, args, visit, maxBytes = MAX_BYTES, signal: given }: Run) {
  const enough = new AbortController()
  const take = createRecords((record) => {
    if (visit(record) === 'stop') enough.abort()
  }, enough.signal)
  let bytes = 0
  let isCut = false
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(TIMEOUT_MS), ...(given ? [given] : [])])
  const run = gitChunks({ gitDir, searchPath, signal })
  try {
    await run(args, {
      take(chunk) {
        if (enough.signal.aborted) return
        bytes += chunk.length
        isCut = bytes > maxBytes
        if (isCut) enough.abort()
        else take(chunk)
      },
    })
  } catch (error) {
    if (!enough.signal.aborted) throw error
  }
  if (!enough.signal.aborted) take(Buffer.of(SEPARATOR))
  return { isCut }
}

/** Takes output in chunks, and calls back with each complete record. Keeps only an incomplete one between chunks. */
function createRecords(visit: (record: string) => void, stopped: AbortSignal): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(SEPARATOR); end !== -1; end = chunk.indexOf(SEPARATOR, start)) {
      const record = Buffer.concat([...rest, chunk.subarray(start, end)]).toString()
      rest = []
      start = end + 1
      visit(record)
      if (stopped.aborted) return
    }
    rest.push(Buffer.from(chunk.subarray(start)))
  }
}
