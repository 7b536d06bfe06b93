import type { ChartValue } from './values-file.ts'

type Schema = Record<string, unknown> & { properties?: Record<string, Schema> }

const quantity = { type: ['string', 'integer'], pattern: '^[0-9.]+(m|Ki|Mi|Gi|Ti|k|M|G|T)?$' }
const amounts = {
  type: 'object',
  additionalProperties: false,
  properties: { cpu: quantity, memory: quantity, 'ephemeral-storage': quantity },
}
const definitions = {
  resources: { type: 'object', additionalProperties: false, properties: { requests: amounts, limits: amounts } },
}

/** The schema of a chart's values: closed objects with the types of the defaults, narrowed by `@schema`. */
export function valuesSchema(values: readonly ChartValue[], rules: readonly object[]): Schema {
  const root: Schema = {
    $schema: 'https://json-schema.org/draft-07/schema#',
    description: 'Generated from values.yaml: change it there, then run npm run generate:charts.',
    ...closed(),
    definitions,
    ...(rules.length > 0 && { allOf: rules }),
  }
  for (const { path, text, initial, schema } of values) {
    let at = root
    for (const name of path.slice(0, -1)) at = at.properties![name] ??= closed()
    const narrowed = '$ref' in schema ? schema : { ...typeOf(initial), ...schema }
    at.properties![path.at(-1)!] =
      '$ref' in schema ? { allOf: [schema], description: text } : { ...narrowed, description: text }
  }
  // Values that Helm itself passes to a subchart.
  root.properties!.global = { type: 'object' }
  return root
}

const closed = (): Schema => ({ type: 'object', additionalProperties: false, properties: {} })

function typeOf(initial: unknown): Schema {
  if (Array.isArray(initial)) return { type: 'array' }
  if (typeof initial === 'number') return { type: 'integer' }
  return { type: typeof initial }
}
