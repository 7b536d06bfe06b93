import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { ended, processorMs } from './processor-time.ts'
import { join } from 'node:path'

const shell = (command: string, folder: string): number => {
  const from = performance.now()
  try {
    execFileSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 1 << 30 })
  } catch (error) {
    // status 1: nothing was found, or the reader of the pipe had enough
    if ((error as { status?: number }).status !== 1) throw error
  }
  return performance.now() - from
}

/** Runs a baseline; returns its duration and its CPU time. A busy machine distorts the CPU time less. */
export function withProcessor(baseline: () => number): { ms: number; processorMs: number } {
  const before = processorMs('self', ended)
  const ms = baseline()
  return { ms, processorMs: processorMs('self', ended) - before }
}

/** Walks a vault and calls stat on each file. */
export const find = (root: string): number => shell("find . -type f -printf '%p %s %T@ %i\\n' > /dev/null", root)

/** Reads every file of a vault. */
export const cat = (root: string): number => shell('find . -type f -print0 | xargs -0 cat > /dev/null', root)

/** Searches every file of a vault for a word. */
export const ripgrep = (root: string, word: string): number => shell(`rg -liwF -- ${word} . > /dev/null`, root)

/** Starts git with a command that does nothing. */
export const gitSpawn = (): number => shell('git --version > /dev/null', '/')

/** Writes and syncs a small file: the least cost of a durable save. */
export function plainWrite(folder: string): number {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'plain-write')
  const bytes = Buffer.alloc(4096, 'x')
  const from = performance.now()
  const fd = openSync(path, 'w')
  writeSync(fd, bytes)
  fdatasyncSync(fd)
  closeSync(fd)
  const took = performance.now() - from
  rmSync(path)
  return took
}

/** True when a program can be started here. */
export function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
