import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { newHome } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
const ESCAPE = '\u001b['

let home: string
beforeEach(async () => {
  home = await newHome()
  await mkdir(join(home, 'vaults/my-vault'), { recursive: true })
  for (const name of ['a', 'b', 'c']) await writeFile(join(home, `vaults/my-vault/${name}.md`), `# ${name}\n`)
})
afterEach(() => removeFolder(home))

/** Runs svcd on a pseudo-terminal until it shows that the vault is open; returns what the terminal showed. */
async function onTerminal(environment: Record<string, string> = {}): Promise<string> {
  const command = [process.execPath, PROGRAM].map((part) => `'${part}'`).join(' ')
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', SVC_HOME: home, SVC_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const closed = once(terminal, 'close')
  try {
    await until(`the vault is open: ${shown}`, () => /vault open/.test(shown) && /listening at/.test(shown))
    return shown
  } finally {
    const { pid } = JSON.parse(await readFile(join(home, 'daemon/status.json'), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGTERM')
    expect(await closed).toEqual([0, null])
  }
}

const linesOf = (shown: string): string[] => shown.split('\r\n').filter((line) => line !== '')

test('a person at a terminal reads coloured lines with address, home and vaults', async () => {
  verifies('daemon.terminal')
  const shown = await onTerminal()
  expect(shown).toContain(ESCAPE)
  const lines = linesOf(stripVTControlCharacters(shown))
  expect(lines.find((line) => line.includes('listening'))).toMatch(
    new RegExp(
      `^\\d\\d:\\d\\d:\\d\\d {2}svcd listening at http://127\\.0\\.0\\.1:\\d+, home ${home}, status file ${home}`,
    ),
  )
  expect(lines.find((line) => line.includes('vault open'))).toMatch(
    /^\d\d:\d\d:\d\d {2}vault open {2}my-vault {2}files=3$/,
  )
  for (const line of lines) expect(line).not.toMatch(/^\{/)
})

test('without colours where the person wants none, and in JSON where they ask for it', async () => {
  verifies('daemon.terminal')
  expect(await onTerminal({ NO_COLOR: '1' })).not.toContain(ESCAPE)
  const lines = linesOf(await onTerminal({ SVC_LOG_FORMAT: 'json' }))
  const read = lines.map((line) => JSON.parse(line) as { msg: string; vault?: string; files?: number })
  expect(read).toContainEqual(expect.objectContaining({ msg: 'vault open', vault: 'my-vault', files: 3 }))
})

test('a program that reads the output gets JSON, or lines of text where it asks for them', async () => {
  verifies('daemon.terminal')
  const throughPipe = async (environment: Record<string, string>) => {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const closed = once(child, 'close')
    await until('the vault is open', () => /vault open/.test(output) && /listening at/.test(output))
    child.kill('SIGTERM')
    await closed
    return output.trimEnd().split('\n')
  }
  for (const line of await throughPipe({})) expect(JSON.parse(line)).toMatchObject({ service: 'svcd' })
  const text = await throughPipe({ SVC_LOG_FORMAT: 'text' })
  expect(text.join('\n')).not.toContain(ESCAPE)
  expect(text.some((line) => /^\d\d:\d\d:\d\d {2}vault open/.test(line))).toBe(true)
})
