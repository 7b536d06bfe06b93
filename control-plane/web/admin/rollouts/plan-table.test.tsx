import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { daemonsToUpdate, PlanTable } from './plan-table.tsx'

const planOf = (total: number, alreadyThere: number) => {
  const first = { index: 0, name: 'canary', members: 1, sleeping: 0 }
  const rest = { index: 1, name: '100%', members: total - alreadyThere - 1, sleeping: 2 }
  const waves = total === alreadyThere ? [] : [first, rest]
  return { ok: true as const, image: 'local/svcd:2', total, alreadyThere, waves }
}
const shown = (total: number, alreadyThere: number) =>
  renderToStaticMarkup(<PlanTable plan={planOf(total, alreadyThere)} />)

test('a plan counts the daemons of its waves, without those that have the image', () => {
  verifies('web.rollout-plan')
  expect(shown(40, 35)).toContain('5 daemons in 2 waves; 35 have this image already and are left alone.')
  expect(daemonsToUpdate(planOf(40, 35))).toBe(5)
  expect(shown(40, 1)).toContain('39 daemons in 2 waves; one has this image already and is left alone.')
  expect(shown(40, 0)).toContain('40 daemons in 2 waves.')
})

test('a fleet that has the image has no daemon to update', () => {
  expect(shown(40, 40)).toContain('All hosted daemons have this image already.')
  expect(shown(0, 0)).toContain('There are no hosted daemons.')
  expect(daemonsToUpdate(planOf(40, 40))).toBe(0)
})
