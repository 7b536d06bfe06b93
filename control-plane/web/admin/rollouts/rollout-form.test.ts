import { expect, it } from 'vitest'
import { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'
import { emptyForm, readSettings } from './rollout-form.ts'

it('reads a new form as settings that the API takes', () => {
  expect(RolloutSettings.parse(readSettings(emptyForm))).toMatchObject({
    canary: { count: 1 },
    shares: [5, 25, 100],
    soakSeconds: 300,
    concurrency: 5,
    failureBudget: 1,
  })
})

it('takes shares however they are set apart, with their sign too, and parts of minutes', () => {
  expect(readSettings({ ...emptyForm, shares: '5%, 25 %, 100%' }).shares).toEqual([5, 25, 100])
  expect(readSettings({ ...emptyForm, shares: ' 10 50;100, ', soakMinutes: '0.5' })).toMatchObject({
    shares: [10, 50, 100],
    soakSeconds: 30,
  })
})

it('leaves nonsense for the API to refuse', () => {
  expect(RolloutSettings.safeParse(readSettings({ ...emptyForm, shares: '5, all' })).success).toBe(false)
  expect(RolloutSettings.safeParse(readSettings({ ...emptyForm, concurrency: '' })).success).toBe(false)
})
