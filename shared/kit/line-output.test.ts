import { spawn, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../test/support/remove-folder.ts'

const log = new URL('log.ts', import.meta.url).href
const lines = (count: number) => `
  import { createLog } from ${JSON.stringify(log)}
  const log = createLog({ service: 'test', level: 'info' })
  for (let n = 0; n < ${count}; n++) log.info({ n, text: 'ü'.repeat(1000) }, 'line')
  process.stderr.write('done')
`

test('a full disk costs the lines, not the process', async () => {
  const full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, ['--input-type=module', '-e', lines(10)], {
    stdio: ['ignore', full.fd, 'pipe'],
  })
  const said = child.stderr!.setEncoding('utf8').toArray()
  const [code] = (await once(child, 'exit')) as [number | null]
  await full.close()
  expect({ code, said: (await said).join('') }).toEqual({ code: 0, said: 'done' })
})

test('a reader that leaves costs the lines, not the process', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', lines(1000)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const said = child.stderr.setEncoding('utf8').toArray()
  const [code] = (await once(child, 'exit')) as [number | null]
  expect({ code, said: (await said).join('') }).toEqual({ code: 0, said: 'done' })
})

test('a slow reader receives every line', async () => {
  // The first line of the program makes the pipe one that can be full.
  const child = spawn(process.execPath, ['--input-type=module', '-e', `process.stdout\n${lines(1000)}`])
  await once(child, 'spawn')
  await setTimeout(500) // longer than the program takes to fill the pipe
  const text = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const seen = text.trimEnd().split('\n')
  expect(seen.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(Array.from({ length: 1000 }, (_, n) => n))
})

test('after a line that was cut, the next one starts on a line of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-lines-'))
  onTestFinished(() => removeFolder(folder))
  const file = join(folder, 'log')
  const program = `
    import { truncateSync } from 'node:fs'
    import { lineOutput } from ${JSON.stringify(new URL('line-output.ts', import.meta.url).href)}
    const { write } = lineOutput(1)
    for (const letter of 'abc') write(letter.repeat(700) + '\\n') // 'b' is cut, and of 'c' nothing is written
    truncateSync(${JSON.stringify(file)}, 710)
    for (const letter of 'de') write(letter.repeat(10) + '\\n')`
  await promisify(execFile)('bash', [
    '-c',
    'trap "" XFSZ; ulimit -f 1; exec "$0" --input-type=module -e "$1" >>"$2"',
    process.execPath,
    program,
    file,
  ])
  expect((await readFile(file, 'utf8')).split('\n')).toEqual([
    'a'.repeat(700),
    'b'.repeat(9),
    'd'.repeat(10),
    'e'.repeat(10),
    '',
  ])
})
