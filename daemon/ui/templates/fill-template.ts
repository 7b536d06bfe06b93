/** The values of a template's placeholders. `locale` names days and months; the browser's if absent. */
export type Filling = { title: string; now: Date; locale?: string }

const PLACEHOLDER = /\{\{(title|date|time)(?::([^{}\n]{1,60}))?\}\}/g
// A character that has no meaning of its own. One that is in a template is hidden like a placeholder.
const MARK = '\uE000'
const PLACEHOLDER_OR_MARK = new RegExp(`${PLACEHOLDER.source}|${MARK}`, 'g')
const HIDDEN = new RegExp(`${MARK}(\\d+)${MARK}`, 'g')
const PART = /\[([^[\]\n]*)\]|YYYY|MMMM|MMM|MM|DD|dddd|ddd|HH|mm/g

/**
 * Fills title, date and time into the text of a template: `{{title}}`, `{{date}}`, `{{time}}`, `{{date:DD.MM.YYYY}}`.
 */
export function fillTemplate(text: string, { title, now, locale }: Filling): string {
  return text.replaceAll(PLACEHOLDER, (_, name: string, format: string | undefined) => {
    if (name === 'title') return title
    return formatDate(format ?? (name === 'date' ? 'YYYY-MM-DD' : 'HH:mm'), { now, locale })
  })
}

/**
 * Replaces placeholders by marks that YAML reads as text; it would take their braces for maps. `reveal` puts them back.
 */
export function hidePlaceholders(template: string): { text: string; reveal: (text: string) => string } {
  const hidden: string[] = []
  const text = template.replaceAll(PLACEHOLDER_OR_MARK, (found) => `${MARK}${hidden.push(found) - 1}${MARK}`)
  return { text, reveal: (changed) => changed.replaceAll(HIDDEN, (_, nth: string) => hidden[Number(nth)]!) }
}

type When = { now: Date; locale?: string | undefined }

/** A date in a format; text in brackets is literal: `YYYY/MM/[Week of] DD`. */
export function formatDate(format: string, { now, locale }: When): string {
  return format.replaceAll(
    PART,
    (part: string, literal: string | undefined) => literal ?? partOf(part, { now, locale }),
  )
}

function partOf(part: string, { now, locale }: When): string {
  const two = (value: number) => String(value).padStart(2, '0')
  switch (part) {
    case 'YYYY':
      return String(now.getFullYear()).padStart(4, '0')
    case 'MMMM':
      return now.toLocaleDateString(locale, { month: 'long' })
    case 'MMM':
      return now.toLocaleDateString(locale, { month: 'short' })
    case 'MM':
      return two(now.getMonth() + 1)
    case 'DD':
      return two(now.getDate())
    case 'dddd':
      return now.toLocaleDateString(locale, { weekday: 'long' })
    case 'ddd':
      return now.toLocaleDateString(locale, { weekday: 'short' })
    case 'HH':
      return two(now.getHours())
    default:
      return two(now.getMinutes())
  }
}
