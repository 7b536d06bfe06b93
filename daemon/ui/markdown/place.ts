import type { LinkIndex } from '../links/link-index.ts'

/** The location of the text that is rendered. Its links are relative to it. */
export type Place = { vaultId: string; path: string; index: LinkIndex; firstLine: number }

const PLACE = Symbol('place')

/** Carries a place through markdown-it's environment. */
export function envOf(place: Place): { [key: symbol]: Place } {
  return { [PLACE]: place }
}

/** The place that `envOf` stored. */
export function placeOf(env: { [key: symbol]: unknown } | undefined): Place {
  return env?.[PLACE] as Place
}
