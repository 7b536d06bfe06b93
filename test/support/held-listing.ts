// Loaded into a daemon with `--import`. Holds the listing of one folder, named by HELD_FOLDER, until there is a file
// HELD_UNTIL: so long is the first listing of a large vault.
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:fs/promises'

const { HELD_FOLDER: held, HELD_UNTIL: released } = process.env
const readdir = promises.readdir as (...args: unknown[]) => Promise<unknown>

async function heldReaddir(...args: unknown[]): Promise<unknown> {
  while (args[0] === held && !existsSync(released!)) await new Promise((resolve) => setTimeout(resolve, 20))
  return readdir(...args)
}

Object.assign(promises, { readdir: heldReaddir })
syncBuiltinESMExports()
