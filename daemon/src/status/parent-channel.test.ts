import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

// While the status is found, the process notices nothing of its channel: it waits for the end of its input.
const program = `
import { readFileSync } from 'node:fs'
import { parentChannel } from ${JSON.stringify(import.meta.resolve('./parent-channel.ts'))}
parentChannel({
  channel: process,
  status: async () => readFileSync(0, 'utf8'),
  flush: async () => '',
  stop: () => console.log('stopped'),
  onFailure: (error) => console.log(error),
})
process.send('listening')
`

test('a daemon whose parent ends before it has its answer stops, and has not failed', async () => {
  const daemon = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  })
  const [output, errors] = [text(daemon.stdout!), text(daemon.stderr!)]
  const ended = once(daemon, 'exit')
  await once(daemon, 'message')
  daemon.send({ type: 'status', id: 1 })
  daemon.disconnect()
  daemon.stdin!.end()
  const [code] = await ended
  expect([code, await output, await errors]).toEqual([0, 'stopped\n', ''])
})
