import { describe, expect, test } from 'vitest'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { reportedKeys, usableKeys } from './usable-keys.ts'

const accepted = { generation: 1, hash: 'a'.repeat(64) }
const forged = { generation: 1, hash: 'f'.repeat(64) }
const waiting = { generation: 2, hash: 'b'.repeat(64) }
const remade = { generation: 2, hash: 'c'.repeat(64) }

const known = (keys: { generation: number; hash: string }[]) =>
  someDaemon(
    { relay: { url: 'https://relay.example/t/org', keyGeneration: 2, acceptedGeneration: 1 } },
    { status: { observedState: 'running', conditions: [], relay: { keys } } },
  )

describe('usable keys', () => {
  test.each([
    ['an accepted key with the hash that was accepted', [accepted], [accepted], [accepted]],
    ['no accepted generation with another hash', [accepted], [forged], []],
    ['a key that is not accepted yet', [accepted], [accepted, waiting], [accepted, waiting]],
    ['a key that was remade before it was accepted', [accepted, waiting], [accepted, remade], [accepted, remade]],
    ['a key of which the status says nothing', [], [accepted], [accepted]],
  ])('are %s', (_name, reported, held, usable) => expect(usableKeys(known(reported), held)).toEqual(usable))
})

describe('the status reports', () => {
  test.each([
    ['the accepted hash although the Secret holds another', [accepted], [forged], [accepted]],
    ['the newest hash of a generation that waits for acceptance', [waiting], [remade], [remade]],
  ])('%s', (_name, reported, held, expected) => expect(reportedKeys(known(reported), held)).toEqual(expected))
})
