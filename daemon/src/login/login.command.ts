import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { askSecret } from '@svc/shared/kit/ask-secret.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { storeKey } from './store-key.ts'
import { isInPath } from './in-path.ts'
import { startCommand } from './start-command.ts'

export type LoginTerminal = {
  stdin: NodeJS.ReadStream
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

type Deps = {
  relayUrl: string
  /** SVC_HOME, and whether it is the default one. */
  home: string
  searchPath: string
  /** The Node and the script that run now. */
  program: { node: string; script: string }
  terminal: LoginTerminal
}

const KEY = /^svc_dmn_[0-9A-Za-z]{43}$/
const CANCELED = 130

/**
 * Reads the daemon key at a prompt without echo, or from standard input, and stores it in a file of the home that only
 * its owner can read. Nothing dials with that file by itself: the printed command names it and the relay.
 */
export async function login({ relayUrl, home, searchPath, program, terminal }: Deps): Promise<number> {
  const { stdin, stdout, stderr } = terminal
  const typed = stdin.isTTY ? await askSecret(terminal, 'Connection key (not shown)') : undefined
  if (stdin.isTTY && typed === undefined) return CANCELED
  const key = typed?.reveal() ?? (await readAll(stdin)).trim()
  if (!KEY.test(key)) {
    stderr.write(
      'svcd: this is not a connection key: a key begins with svc_dmn_ and has 51 characters. Nothing was changed.\n',
    )
    return exitCodes.usage
  }

  const keyFile = await storeKey(home, key)
  const command = (await isInPath(program.script, searchPath)) ? ['svcd'] : [program.node, program.script]
  stderr.write(
    `The key is stored in ${keyFile}, which only you can read. Vaults are folders in ${join(home, 'vaults')}.\n`,
  )
  stderr.write('A daemon that runs with this file switches to the new key by itself. Otherwise start it:\n\n')
  stdout.write(`${startCommand({ relayUrl, keyFile, home, command })}\n`)
  return exitCodes.ok
}
