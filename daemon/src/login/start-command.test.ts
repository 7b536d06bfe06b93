import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCommand } from './start-command.ts'

const relayUrl = 'https://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa'

test('names the relay and the key file, and the home only where it is another', () => {
  const home = join(homedir(), '.svc')
  expect(startCommand({ relayUrl, keyFile: '/keys/one', home, command: ['svcd'] })).toBe(
    `SVC_RELAY_URL=${relayUrl} SVC_RELAY_TOKEN_FILE=/keys/one svcd`,
  )
  expect(startCommand({ relayUrl, keyFile: '/keys/one', home: '/srv/notes', command: ['svcd'] })).toMatch(
    /^SVC_HOME=\/srv\/notes /,
  )
})

test('quotes what a shell would take apart', () => {
  expect(startCommand({ relayUrl, keyFile: "/my keys/it's", home: '/srv', command: ['/opt/my node', 'x.js'] })).toBe(
    `SVC_HOME=/srv SVC_RELAY_URL=${relayUrl} SVC_RELAY_TOKEN_FILE='/my keys/it'\\''s' '/opt/my node' x.js`,
  )
})
