import { expect, test } from 'vitest'
import { enterAddress } from './enter-address.ts'

const app = {
  home: 'https://app.example/',
  account: 'https://app.example/profile',
  enter: 'https://app.example/enter?organization=org_a',
  leave: '/_svc/leave',
  offline: '/_svc/offline-worker.js',
}

test.each([
  [{ vaultId: 'notes' }, 'https://app.example/enter?organization=org_a&vault=notes'],
  [
    { vaultId: 'notes', path: 'A b/c&d.md', heading: 'Next steps' },
    'https://app.example/enter?organization=org_a&vault=notes&path=A+b%2Fc%26d.md#Next%20steps',
  ],
  [
    { vaultId: 'n', path: '//evil.example' },
    'https://app.example/enter?organization=org_a&vault=n&path=%2F%2Fevil.example',
  ],
])('enters %j at %s', (route, address) => expect(enterAddress(app, route)).toBe(address))
