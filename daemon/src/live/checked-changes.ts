import { ChangeSet, type Text } from '@codemirror/state'
import { fail } from '@svc/shared/wire/errors.ts'
import type { LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { isInsideCharacter } from '../edits/text-changes.ts'

const refuse = (message: string) => fail('invalid_request', [{ path: 'updates', message }])

/** Consecutive change sets that begin at a text of some length, or `invalid_request`. Pure. */
export function checkedChanges(updates: readonly LiveChanges[], length: number): ChangeSet[] {
  let before = length
  return updates.map((json) => {
    const changes = parse(json)
    if (changes.length !== before) throw refuse('are for a text of another length')
    before = changes.newLength
    return changes
  })
}

function parse(json: LiveChanges): ChangeSet {
  try {
    return ChangeSet.fromJSON(json)
  } catch (error) {
    if (error instanceof RangeError) throw refuse('are not a change set')
    throw error
  }
}

/** Refuses a change that begins or ends inside a character of two units: half of it could never be written. */
export function refuseTornCharacters(changes: ChangeSet, text: Text): void {
  changes.iterChangedRanges((from, to) => {
    if (isInsideCharacter(text, from) || isInsideCharacter(text, to)) throw refuse('cut a character in two')
  })
}
