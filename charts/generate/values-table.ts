import type { ChartValue } from './values-file.ts'

const escape = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

/** The values of a chart as a Markdown table. */
export function valuesTable(values: readonly ChartValue[]): string {
  const rows = values.map(({ path, text, initial }) => {
    const shown = JSON.stringify(initial)
    const name = path.map((part) => (part.includes('.') ? `"${part}"` : part)).join('.')
    return `| \`${name}\` | \`${shown.replaceAll('|', '\\|')}\` | ${escape(text)} |`
  })
  return ['| Value | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

const BEGIN = '<!-- values: npm run generate:charts -->'
const END = '<!-- /values -->'

/** A README with the table between its two markers. */
export function withTable(readme: string, table: string): string {
  const [before, rest] = readme.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`README.md needs ${BEGIN} and ${END}`)
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`
}
