import { expect, it } from 'vitest'
import { daemonCommands } from './daemon-commands.ts'
import { verifies } from '../../../test/requirements.ts'

const commands = daemonCommands({ relayUrl: 'https://svc.example/t/org_a', apiKey: 'svc_dmn_secret' })

it('starts the daemon with both variables in one line', () => {
  expect(commands[0]?.blocks[0]?.text).toBe(
    'SVC_RELAY_URL=https://svc.example/t/org_a SVC_RELAY_TOKEN=svc_dmn_secret npm run svcd',
  )
})

it('keeps the key out of the command where there is a file for it', () => {
  verifies('web.key-file')
  for (const { id, blocks } of commands.slice(1)) {
    expect(blocks[0]?.text, id).toContain('SVC_RELAY_TOKEN=svc_dmn_secret\n')
    expect(blocks[1]?.text, id).not.toContain('svc_dmn_secret')
  }
})
