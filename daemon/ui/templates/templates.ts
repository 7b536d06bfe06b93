import type { Entry, LinkIndex } from '../links/link-index.ts'

const FOLDER = 'templates/'
const DAILY = 'templates/daily.md'

/** The templates of a vault: the notes in its folder `Templates`, by name. */
export const templatesOf = ({ notes }: Pick<LinkIndex, 'notes'>): Entry[] =>
  notes
    .filter(({ path }) => path.toLowerCase().startsWith(FOLDER))
    .toSorted((one, other) => one.name.localeCompare(other.name))

/** The template of daily notes, `Templates/Daily.md`, if there is one. */
export const dailyTemplate = ({ notes }: Pick<LinkIndex, 'notes'>): Entry | undefined =>
  notes.find(({ path }) => path.toLowerCase() === DAILY)
