import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Secret } from './secret.ts'

type Terminal = { stdin: NodeJS.ReadableStream; stderr: { write(text: string): unknown } }

/** Asks at a terminal without showing what is typed. Undefined when the person cancels with Ctrl-C or Ctrl-D. */
export async function askSecret({ stdin, stderr }: Terminal, prompt: string): Promise<Secret | undefined> {
  stderr.write(`${prompt}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: true })
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    const typed = await Promise.race([lines.question(''), ended])
    return typed === undefined ? undefined : new Secret(typed.trim())
  } finally {
    lines.close()
    stderr.write('\n')
  }
}
