import { FIELD_MANAGER } from '../../managed-daemon/names.ts'

type FieldSet = { [field: string]: FieldSet }
/** The fields that a manager has set last: an entry of `metadata.managedFields`. */
export type ManagedFields = {
  manager?: string
  operation?: string
  apiVersion?: string
  subresource?: string
  fieldsType?: string
  fieldsV1?: FieldSet
}

/**
 * The entries with the template of a StatefulSet as the operator's alone; undefined if nobody else has set anything in
 * it. Server-side apply removes no field that another manager has set: what `kubectl rollout undo` brings back would
 * stay for good. Pure.
 */
export function ownTemplate(entries: readonly ManagedFields[]): ManagedFields[] | undefined {
  const others = entries.filter((entry) => !isOurs(entry) && templateOf(entry) !== undefined)
  if (others.length === 0) return undefined

  const ours = entries.find(isOurs) ?? { ...others[0], manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: {} }
  const fieldsV1 = others.map(onlyTemplate).reduce(union, ours.fieldsV1 ?? {})
  const rest = entries.filter((entry) => !isOurs(entry))
  return [{ ...ours, fieldsV1 }, ...rest.map((entry) => (others.includes(entry) ? withoutTemplate(entry) : entry))]
}

const isOurs = ({ manager, operation, subresource }: ManagedFields) =>
  manager === FIELD_MANAGER && operation === 'Apply' && subresource === undefined

const templateOf = ({ fieldsV1 }: ManagedFields) => fieldsV1?.['f:spec']?.['f:template']

const onlyTemplate = (entry: ManagedFields): FieldSet => ({ 'f:spec': { 'f:template': templateOf(entry) ?? {} } })

function withoutTemplate(entry: ManagedFields): ManagedFields {
  const { 'f:template': _template, ...spec } = entry.fieldsV1?.['f:spec'] ?? {}
  return { ...entry, fieldsV1: { ...entry.fieldsV1, 'f:spec': spec } }
}

const union = (one: FieldSet, other: FieldSet): FieldSet =>
  Object.entries(other).reduce((all, [field, set]) => ({ ...all, [field]: union(all[field] ?? {}, set) }), one)
