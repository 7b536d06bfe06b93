import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { RolloutList, type ListedRollout } from './rollout-list.tsx'

const rollout: ListedRollout = {
  id: 'rol_a',
  image: 'local/svcd:2',
  state: 'succeeded',
  reason: 'An update',
  counts: { total: 1, pending: 0, rolling: 0, succeeded: 1, failed: 0, stalled: 0, deferred: 0, skipped: 0 },
  createdAt: '2026-01-01T00:00:00Z',
}
const shown = (nextCursor: string | undefined, cursor?: string) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <RolloutList page={{ rollouts: [rollout], nextCursor }} cursor={cursor} turnTo={() => {}} />
    </MemoryRouter>,
  )

test('rollouts before the newest ones are a page away', () => {
  expect(shown('older')).toMatch(/An update.*>Older</)
  expect(shown('older')).not.toContain('>Newest<')
})

test('from older rollouts a button leads back to the newest', () => {
  expect(shown(undefined, 'older')).toContain('>Newest<')
  expect(shown(undefined, 'older')).not.toContain('>Older<')
})
