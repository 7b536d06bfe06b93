import { notePath } from '../note/note-path.ts'
import { changeProperties } from '../properties/change-properties.ts'
import { propertyFields } from '../properties/property-fields.ts'
import { fillTemplate, formatDate, hidePlaceholders, type Filling } from './fill-template.ts'

/** Properties of the daily template that set the path of daily notes. They are not copied into the notes. */
const FOLDER = 'daily-folder'
const FORMAT = 'daily-format'

/** A note to create. */
export type Draft = { path: string; content: string }

/**
 * The daily note of a day, from the vault's template if there is one. Returns a problem if the template's settings give
 * an impossible path.
 */
export function dailyNote(template: string | undefined, when: Omit<Filling, 'title'>): Draft | { problem: string } {
  const { text, reveal } = hidePlaceholders(template ?? '')
  const read = propertyFields(text)
  const setting = (name: string, otherwise: string): string => {
    const field = read.kind === 'fields' ? read.fields.find((one) => one.name === name) : undefined
    return field !== undefined && field.kind !== 'fixed' && typeof field.value === 'string' && field.value !== ''
      ? fillTemplate(reveal(field.value), { ...when, title: '' })
      : otherwise
  }
  const folder = setting(FOLDER, 'Daily')
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')
  const name = formatDate(setting(FORMAT, 'YYYY-MM-DD'), when)
  const place = notePath(folder === '' ? name : `${folder}/${name}`)
  if ('problem' in place) return place
  return { path: place.path, content: fromTemplate(template ?? '', { ...when, title: titleOf(place.path) }) }
}

/** The text of a new note from a template, without the settings for daily notes. */
export function fromTemplate(template: string, filling: Filling): string {
  const hidden = hidePlaceholders(template)
  const read = propertyFields(hidden.text)
  const names = read.kind === 'fields' ? read.fields.map(({ name }) => name) : []
  const without = [FOLDER, FORMAT]
    .filter((name) => names.includes(name))
    .reduce((now, name) => changeProperties(now, { name, remove: true }), hidden.text)
  const text = hidden.reveal(without)
  const isEmptied = text !== template && /^\uFEFF?---[ \t]*\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  return fillTemplate(isEmptied ? text.slice(isEmptied[0].length) : text, filling)
}

/** The title of a note: its file name without folder and ending. */
export const titleOf = (path: string): string =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.(?:md|markdown)$/i, '')
