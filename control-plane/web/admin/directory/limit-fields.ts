import type { LimitsAnswer } from '../admin-answers.ts'

type Limits = LimitsAnswer['limits']
type Own = LimitsAnswer['own']
export type LimitName = keyof Limits

const MIB = 1024 * 1024

type Field = { name: LimitName; label: string; unit: number; least: number; most: number }

/** The fields of the form for limits. Byte counts are in MiB; the size of the volume is a text with its unit. */
export const limitFields: readonly Field[] = [
  { name: 'requests', label: 'Requests and live sessions at a time', unit: 1, least: 1, most: 100_000 },
  { name: 'bytesPerSecond', label: 'MiB per second', unit: MIB, least: 0.0625, most: 95_367 },
  { name: 'personPercent', label: 'Part of that for one person, in percent', unit: 1, least: 1, most: 100 },
  { name: 'bodyBytes', label: 'Largest upload, in MiB', unit: MIB, least: 0.0625, most: 2 ** 30 },
  { name: 'tunnels', label: 'Connections of its daemon', unit: 1, least: 1, most: 4 },
]

export const STORAGE_LABEL = 'Storage grows by itself up to'

/**
 * The texts of the form for an organization's own limits; a field is empty if the organization has no limit of its own.
 * Pure.
 */
export function textsOf(own: Own): Record<LimitName, string> {
  const texts = limitFields.map(({ name, unit }) => {
    const value = own[name]
    return [name, typeof value === 'number' ? String(value / unit) : '']
  })
  return { ...Object.fromEntries(texts), storageMaxSize: own.storageMaxSize ?? '' } as Record<LimitName, string>
}

/** The limits for the texts of the form, and the problem of each invalid field. Pure. */
export function limitsOf(texts: Record<LimitName, string>): { own: Own; problems: Map<LimitName, string> } {
  const own: Own = {}
  const problems = new Map<LimitName, string>()
  for (const { name, unit, least, most } of limitFields) {
    const text = texts[name].trim()
    if (text === '') continue
    const value = Number(text)
    const isCount = /^[0-9]+(\.[0-9]+)?$/.test(text) && (unit > 1 || Number.isInteger(value))
    if (!isCount || value < least || value > most)
      problems.set(name, `must be a ${unit > 1 ? '' : 'whole '}number from ${least} to ${most.toLocaleString('en')}`)
    else Object.assign(own, { [name]: Math.round(value * unit) })
  }
  const size = texts.storageMaxSize.trim()
  if (size !== '' && !/^[1-9][0-9]{0,14}(Ki|Mi|Gi|Ti)$/.test(size))
    problems.set('storageMaxSize', 'must be a whole number of Mi, Gi or Ti, such as 20Gi')
  else if (size !== '') own.storageMaxSize = size
  return { own, problems }
}

/** A default of the platform in the unit of its field. Pure. */
export function platformText(platform: Limits, name: LimitName): string {
  const unit = limitFields.find((field) => field.name === name)?.unit ?? 1
  const value = platform[name]
  if (value === null) return 'it does not'
  return typeof value === 'number' ? (value / unit).toLocaleString('en') : value
}
