import { expect, test } from 'vitest'
import type { ManagedDaemonRow } from '../db/tables/managed-daemons.tables.ts'
import { specToRemove } from './new-daemon-spec.ts'

const given = {
  row: { organization_id: 'org_aaaaaaaaaaaaaaaaaaaaaaaa', image: 'old.example.net/svcd:1' } as ManagedDaemonRow,
  orgSlug: 'acme',
  keyGeneration: 3,
  settings: {
    relayUrl: 'https://relay.example.net',
    storage: { size: '1Gi', className: undefined, growth: { maxSize: undefined, abovePercent: 80 } },
    resources: { cpu: '1', memory: '1Gi' },
  },
}

test('what is created to be removed runs nothing and takes its volume with it', () => {
  const spec = specToRemove({ ...given, repository: 'registry.example.net/svcd' })
  expect(spec).toMatchObject({ desiredState: 'sleeping', deletionPolicy: 'delete' })
  // A cluster that admits only digests of this repository admits it, whatever ran before.
  expect(spec.image).toMatch(/^registry\.example\.net\/svcd@sha256:[0-9a-f]{64}$/)
})

test('where images have no repository, it names the image that ran', () => {
  expect(specToRemove({ ...given, repository: undefined }).image).toBe(given.row.image)
})
