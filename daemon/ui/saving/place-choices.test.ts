import { describe, expect, it } from 'vitest'
import { mergePlaces, type ClashPlace } from './merge-places.ts'
import { choiceFor, draftFor, nameOf, withDraft, type Choice } from './place-choices.ts'

const text = (...lines: string[]) => lines.join('\n')
const base = text('one', 'two', 'three', 'four', 'five', 'six', 'seven')
const mine = text('one', 'mine 2', 'three', 'four', 'five', 'mine 6', 'seven')
const places = (theirs: string) =>
  mergePlaces({ base, mine, theirs }).filter((place): place is ClashPlace => place.kind === 'clash')

const [first, second] = places(text('one', 'theirs 2', 'three', 'four', 'five', 'theirs 6', 'seven')) as [
  ClashPlace,
  ClashPlace,
]
const written = (words: string): Choice => ({ by: 'written', lines: words.split('\n') })

describe('the choices for the places of a conflict, while somebody else types', () => {
  const choices = new Map([first, second].map((place): [string, Choice] => [nameOf(place), { by: 'mine', lines: [] }]))
  const asked = (theirs: string) => places(theirs).map((place) => choiceFor(place, { choices, drafts: [] })?.by)

  it('stay when a line between the places changes', () =>
    expect(asked(text('one', 'theirs 2', 'three', 'FOUR', 'five', 'theirs 6', 'seven'))).toEqual(['mine', 'mine']))

  it('stay when lines before the places are added', () =>
    expect(asked(text('zero', 'one', 'theirs 2', 'three', 'four', 'five', 'theirs 6', 'seven'))).toEqual([
      'mine',
      'mine',
    ]))

  it('are asked for again only at the place that changes', () =>
    expect(asked(text('one', 'theirs 2', 'three', 'four', 'five', 'theirs 6!', 'seven'))).toEqual(['mine', undefined]))
})

describe('a text that was written for a place', () => {
  const drafts = withDraft(withDraft([], second, 'sixth'), first, 'second')
  const drafted = (theirs: string) => places(theirs).map((place) => draftFor(place, drafts))

  it('stays when the place changes', () =>
    expect(drafted(text('one', 'theirs 2!', 'three', 'four', 'five', 'theirs 6', 'seven'))).toEqual([
      'second',
      'sixth',
    ]))

  it('stays when the place grows', () =>
    expect(drafted(text('ONE', 'theirs 2', 'THREE', 'four', 'five', 'theirs 6', 'seven'))).toEqual(['second', 'sixth']))

  it('is joined with that of a place which becomes one with it', () =>
    expect(drafted(text('one', 'a', 'b', 'c', 'd', 'e', 'seven'))).toEqual([text('second', 'sixth')]))

  it('replaces only what was written there before', () => {
    const again = withDraft(drafts, first, '')
    expect([first, second].map((place) => draftFor(place, again))).toEqual(['', 'sixth'])
  })

  it('is not chosen when it was changed since, though the place has changed back', () => {
    const choices = new Map([[nameOf(first), written('second')]])
    expect(choiceFor(first, { choices, drafts })).toEqual(written('second'))
    expect(choiceFor(first, { choices, drafts: withDraft(drafts, first, 'second, and on') })).toBeUndefined()
  })
})
