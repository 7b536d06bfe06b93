import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { backupFacts } from './backup-facts.tsx'

const takenAt = '2026-01-01T00:00:00.000Z'

const lastBackup = (currentAt: string): string => {
  const last = { backupId: 'bak_20260101000000aaaaaaaaaa', takenAt, currentAt, bytes: 1, files: 1 }
  const state = { everySeconds: 86_400, from: 'platform' as const, verified: null, problem: null, awaitsRestore: false }
  const [, value] = backupFacts({ ...state, last }).find(([name]) => name === 'Backed up')!
  return renderToStaticMarkup(value)
}

test('an old backup of a host that nobody used is said to be still complete, and until when', () => {
  const words = lastBackup('2026-02-10T00:00:00.000Z')
  expect(words).toContain(`dateTime="${takenAt}"`)
  expect(words).toMatch(/Still complete <time dateTime="2026-02-10T00:00:00.000Z"/)
})

test('of a backup that may lack changes only its time is said', () => {
  expect(lastBackup(takenAt)).not.toContain('Still complete')
})
