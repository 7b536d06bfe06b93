import { expect, it } from 'vitest'
import { createPodAbsences } from './pod-absences.ts'

const NAME = 'org-aaaaaaaaaaaaaaaaaaaaaaaa'
const START = Date.parse('2026-11-21T10:00:00.000Z')

function watched() {
  let time = START
  const clock = { now: () => new Date(time), monotonic: () => time, sleep: async () => {} }
  const absences = createPodAbsences({ clock, namespace: 'daemons' })
  const workload = { name: NAME, image: 'old', running: true, outdated: false }
  return {
    after: (ms: number) => (time += ms),
    see: (pod: 'present' | 'absent', changes: Partial<typeof workload> = {}) =>
      absences.note(NAME, { ...workload, ...changes }, pod)?.noMachine?.since.getTime(),
    message: () => absences.note(NAME, workload, 'absent')?.noMachine?.message,
  }
}

it('counts from the first look that found no pod, until there is one', () => {
  const { after, see } = watched()
  expect(see('absent')).toBe(START)
  after(60_000)
  expect(see('absent')).toBe(START)
  expect(see('present')).toBeUndefined()
  expect(see('absent')).toBe(START + 60_000)
})

it('counts anew for another image and template, and not while nothing should run', () => {
  const { after, see } = watched()
  see('absent')
  after(60_000)
  expect(see('absent', { image: 'new' })).toBe(START + 60_000)
  after(60_000)
  expect(see('absent', { image: 'new', outdated: true })).toBe(START + 120_000)
  expect(see('absent', { image: 'new' })).toBe(START + 120_000)
  expect(see('absent', { running: false })).toBeUndefined()
})

it('says where the cause is to be read', () => {
  expect(watched().message()).toBe(
    `No pod since 2026-11-21T10:00:00.000Z: kubectl -n daemons describe statefulset ${NAME} says why.`,
  )
})
