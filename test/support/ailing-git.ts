import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const realGit = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
const AILING_GIT = `#!/bin/sh
if [ -e "\${0%/*}/../ailment" ]; then . "\${0%/*}/../ailment"; fi
exec ${realGit} "$@"
`

/** Git can then read but not write. */
export const FULL_DISK = `if [ "$1" = fast-import ]; then echo 'fatal: No space left on device' >&2; exit 128; fi`

/** Folders with a git that runs the lines given to `ail` first, until `heal`. */
export function ailingGit(folder: string) {
  const ailment = join(folder, 'ailment')
  return {
    ail: (lines: string) => writeFile(ailment, lines),
    heal: () => rm(ailment),
    /** Makes the folder of that name in which this git is; its path. */
    async install(name: string): Promise<string> {
      const bin = join(folder, name)
      await mkdir(bin)
      await writeFile(join(bin, 'git'), AILING_GIT, { mode: 0o755 })
      return bin
    },
  }
}
