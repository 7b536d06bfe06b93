import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { measureBackups } from '../backups/backup-metrics.ts'
import { measureManagedDaemons } from './managed-daemon-metrics.ts'

test('daemons with a problem are counted; without the database these metrics are absent and others remain', async () => {
  verifies('operator.down-counted')
  const registry = new Registry()
  let isAway = false
  const read = async <T>(value: T): Promise<T> => {
    if (isAway) throw new Error('no database')
    return value
  }
  measureManagedDaemons(registry, () => read(2))
  let queries = 0
  measureBackups(registry, () => {
    queries += 1
    return read({ failing: 1, unbacked: 0, oldest: 0, unproved: 0 })
  })
  const told = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('svc_'))
  expect(await told()).toEqual(expect.arrayContaining(['svc_managed_daemon_problems 2', 'svc_backup_failing 1']))
  expect(queries, 'four gauges, one query').toBe(1)
  isAway = true
  expect(await told()).toEqual([])
  isAway = false
  expect(await told()).toContain('svc_managed_daemon_problems 2')
})
