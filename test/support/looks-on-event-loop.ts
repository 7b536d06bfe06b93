import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Look = (path: unknown, ...options: unknown[]) => unknown

/** Records the files and folders below a folder that this process looks at without a thread, until it is stopped. */
export function looksOnEventLoop(folder: string): { paths: string[]; stop(): void } {
  const paths: string[] = []
  const originals = { lstatSync: fs.lstatSync, readdirSync: fs.readdirSync }
  const recorded = (look: Look): Look => {
    return (path, ...options) => {
      if (String(path).startsWith(folder)) paths.push(String(path))
      return look(path, ...options)
    }
  }
  const replace = (looks: object) => {
    Object.assign(fs, looks)
    syncBuiltinESMExports()
  }
  replace({
    lstatSync: recorded(originals.lstatSync as Look),
    readdirSync: recorded(originals.readdirSync as unknown as Look),
  })
  return { paths, stop: () => replace(originals) }
}
