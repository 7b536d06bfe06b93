import type { LinkIndex } from '../links/link-index.ts'

/** Where the text that is rendered stands, which is what its links are relative to. */
export type Place = { vaultId: string; path: string; index: LinkIndex; firstLine: number }

const PLACE = Symbol('place')

/** Carries a place through markdown-it's environment. */
export function envOf(place: Place): { [key: symbol]: Place } {
  return { [PLACE]: place }
}

/** The place that `envOf` put in. */
export function placeOf(env: { [key: symbol]: unknown } | undefined): Place {
  return env?.[PLACE] as Place
}
