import { describe, expect, it } from 'vitest'
import { Refusal, type RefusalCode } from '../api/refusal.ts'
import { next, opened, type Saving, type SavingEffect, type SavingEvent } from './saving.ts'

const refusal = (code: RefusalCode) => new Refusal({ code, message: code })
const first = { content: 'one\r\ntwo\r\n', baseline: 'b1' }
const typed = (text: string): SavingEvent => ({ event: 'typed', text })

/** Runs events from a freshly opened note; answers the last state and the effects of the last event. */
function after(...events: SavingEvent[]): { saving: Saving; effects: SavingEffect[] } {
  let step = { saving: opened(first), effects: [] as SavingEffect[] }
  for (const event of events) step = next(step.saving, event)
  return step
}

const mine = typed('one!\ntwo\n')
const stale: SavingEvent[] = [mine, { event: 'save' }, { event: 'refused', refusal: refusal('stale_doc') }]
const theirs = { content: 'one\r\nTWO\r\n', baseline: 'b2' }
const conflict: SavingEvent[] = [...stale, { event: 'read', theirs }]

describe('saving a note', () => {
  it('saves a short time after typing, with the line endings of the file', () => {
    expect(after(mine).effects).toContainEqual({ effect: 'save-later', seconds: 1 })
    expect(after(mine, { event: 'save' })).toMatchObject({
      saving: { state: 'saving' },
      effects: [{ effect: 'put', content: 'one!\r\ntwo\r\n', over: 'b1' }],
    })
  })

  it('is saved once the daemon says so, and forgets the draft', () => {
    expect(after(mine, { event: 'save' }, { event: 'written', baseline: 'b2' })).toMatchObject({
      saving: { state: 'saved', stored: { content: 'one!\r\ntwo\r\n', baseline: 'b2' } },
      effects: [{ effect: 'drop-draft' }],
    })
  })

  it('saves again what was typed while a save was under way', () => {
    const { saving, effects } = after(mine, { event: 'save' }, typed('one!!\ntwo\n'), {
      event: 'written',
      baseline: 'b2',
    })
    expect(saving).toMatchObject({ state: 'unsaved', text: 'one!!\ntwo\n', stored: { baseline: 'b2' } })
    expect(effects).toContainEqual({ effect: 'save-later', seconds: 1 })
  })

  it('has nothing to save once an edit is undone by hand', () => {
    expect(after(mine, typed('one\ntwo\n'))).toMatchObject({
      saving: { state: 'saved' },
      effects: [{ effect: 'drop-draft' }],
    })
  })

  it('does nothing when asked to save a saved note', () => {
    expect(after({ event: 'save' })).toEqual({ saving: opened(first), effects: [] })
  })
})

describe('a save that fails', () => {
  it('keeps the draft and comes again by itself, ever later', () => {
    const lost: SavingEvent[] = [{ event: 'save' }, { event: 'refused', refusal: refusal('network') }]
    expect(after(mine, ...lost).effects).toEqual([{ effect: 'keep-draft' }, { effect: 'save-later', seconds: 1 }])
    expect(after(mine, ...lost, ...lost).effects).toContainEqual({ effect: 'save-later', seconds: 2 })
    expect(after(mine, ...lost, ...lost, ...lost).effects).toContainEqual({ effect: 'save-later', seconds: 4 })
  })

  it('stays failed, through more typing, when only a person can help', () => {
    const full: SavingEvent[] = [{ event: 'save' }, { event: 'refused', refusal: refusal('storage_full') }]
    expect(after(mine, ...full).effects).toEqual([{ effect: 'keep-draft' }])
    expect(after(mine, ...full, typed('more')).saving).toMatchObject({ state: 'failed', text: 'more' })
    expect(after(mine, ...full, { event: 'save' }).saving.state).toBe('saving')
  })
})

describe('a stale save', () => {
  it('reads what is there', () => expect(after(...stale).effects).toEqual([{ effect: 'read' }]))

  it('is no conflict when the lost answer was to our own save', () => {
    const own = { content: 'one!\r\ntwo\r\n', baseline: 'b9' }
    expect(after(...stale, { event: 'read', theirs: own }).saving).toMatchObject({ state: 'saved', stored: own })
  })

  it('is repeated when nothing has changed after all', () => {
    expect(after(...stale, { event: 'read', theirs: first }).saving.state).toBe('saving')
  })

  it('is a conflict that holds both texts', () => {
    expect(after(...conflict).saving).toMatchObject({ state: 'conflict', text: 'one!\ntwo\n', theirs })
  })

  it('keeps mine over the fresh baseline', () => {
    expect(after(...conflict, { event: 'keep-mine' }).effects).toEqual([
      { effect: 'put', content: 'one!\r\ntwo\r\n', over: 'b2' },
    ])
  })

  it('takes theirs', () => {
    expect(after(...conflict, { event: 'take-theirs' }).saving).toEqual(opened(theirs))
  })

  it('saves a merged text over the fresh baseline', () => {
    expect(after(...conflict, { event: 'merged', text: 'one!\nTWO\n' }).effects).toEqual([
      { effect: 'put', content: 'one!\r\nTWO\r\n', over: 'b2' },
    ])
  })

  it('goes on as a conflict when theirs changed once more', () => {
    const again = { content: 'three', baseline: 'b3' }
    const { saving } = after(
      ...conflict,
      { event: 'keep-mine' },
      { event: 'refused', refusal: refusal('stale_doc') },
      { event: 'read', theirs: again },
    )
    expect(saving).toMatchObject({ state: 'conflict', text: 'one!\ntwo\n', theirs: again })
  })

  it('creates the note anew when it was deleted elsewhere', () => {
    const { effects } = after(...stale, { event: 'read', theirs: 'deleted' }, { event: 'keep-mine' })
    expect(effects).toEqual([{ effect: 'put', content: 'one!\r\ntwo\r\n', over: 'nothing' }])
  })
})

describe('a change made elsewhere', () => {
  it('shows at once in a note without unsaved text', () => {
    expect(after({ event: 'read', theirs }).saving).toEqual(opened(theirs))
  })

  it('never replaces unsaved text', () => {
    expect(after(mine, { event: 'read', theirs }).saving).toMatchObject({ state: 'unsaved', text: 'one!\ntwo\n' })
  })

  it('leaves the text of a deleted note on the screen', () => {
    expect(after({ event: 'read', theirs: 'deleted' }).saving).toMatchObject({ state: 'gone', text: 'one\ntwo\n' })
  })
})

describe('text kept from before a reload', () => {
  it('is unsaved text again while the file is the same', () => {
    expect(after({ event: 'restored', text: 'kept', base: first }).saving).toMatchObject({
      state: 'unsaved',
      text: 'kept',
    })
  })

  it('is a conflict when the file has moved on', () => {
    const base = { content: 'zero', baseline: 'b0' }
    expect(after({ event: 'restored', text: 'kept', base }).saving).toMatchObject({
      state: 'conflict',
      text: 'kept',
      stored: base,
      theirs: first,
    })
  })
})
