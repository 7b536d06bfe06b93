import type { ClashPlace } from './merge-places.ts'

/** The lines that were chosen for a place, and how. */
export type Choice = { by: 'mine' | 'theirs' | 'both' | 'written'; lines: readonly string[] }

/** What a person wrote for the lines `[from, to]` of the base. */
export type Draft = { from: number; to: number; text: string }

type Made = { choices: ReadonlyMap<string, Choice>; drafts: readonly Draft[] }

/** Names a place with all that a choice for it depends on. The name changes when the other version changes there. */
export const nameOf = (place: ClashPlace): string => JSON.stringify(place)

/** The choice for a place as it is now. Pure. */
export function choiceFor(place: ClashPlace, { choices, drafts }: Made): Choice | undefined {
  const choice = choices.get(nameOf(place))
  if (choice?.by !== 'written') return choice
  // The place may have changed, and changed back after the person wrote on.
  return choice.lines.join('\n') === draftFor(place, drafts) ? choice : undefined
}

/** What was written for a place, also if the place has other lines by now. Pure. */
export function draftFor(place: ClashPlace, drafts: readonly Draft[]): string | undefined {
  const found = drafts.filter((draft) => isIn(place, draft))
  return found.length === 0 ? undefined : found.map(({ text }) => text).join('\n')
}

/** The drafts with another text for a place. Pure. */
export function withDraft(drafts: readonly Draft[], place: ClashPlace, text: string): Draft[] {
  const others = drafts.filter((draft) => !isIn(place, draft))
  return [...others, { from: place.from, to: endOf(place), text }].toSorted((one, other) => one.from - other.from)
}

const endOf = ({ from, base }: ClashPlace): number => from + base.length
const isIn = (place: ClashPlace, draft: Draft): boolean => draft.from <= endOf(place) && draft.to >= place.from
