import type { Overview } from '../admin-answers.ts'

type Counts = Overview['counts']
type Standing = keyof Counts
export type PicturePart = { standing: Standing; count: number; words: string }

/** The most marks that people can tell apart. A larger fleet is shown as a bar. */
export const MOST_MARKS = 1_500

const ORDER: [Standing, string][] = [
  ['attention', 'need attention'],
  ['changing', 'changing'],
  ['running', 'running'],
  ['asleep', 'asleep'],
  ['none', 'without a daemon'],
]

/** The fleet as parts, worst first; empty parts are left out. */
export function pictureParts(counts: Counts): PicturePart[] {
  return ORDER.map(([standing, words]) => ({ standing, count: counts[standing], words })).filter(
    ({ count }) => count > 0,
  )
}

/** The first sentence of the console: "412 daemons, 3 need you". */
export function fleetTitle({ total, counts }: Pick<Overview, 'total' | 'counts'>): string {
  if (total === 0) return 'No hosted organization yet'
  const fleet = total === 1 ? 'One daemon' : `${total.toLocaleString('en')} daemons`
  if (counts.attention === 0) return `${fleet}, ${total === 1 ? 'and it does not need' : 'none needs'} you`
  return `${fleet}, ${counts.attention.toLocaleString('en')} ${counts.attention === 1 ? 'needs' : 'need'} you`
}
