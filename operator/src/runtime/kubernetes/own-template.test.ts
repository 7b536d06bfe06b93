import { expect, test } from 'vitest'
import { FIELD_MANAGER } from '../../managed-daemon/names.ts'
import { ownTemplate, type ManagedFields } from './own-template.ts'

const template = (fields: ManagedFields['fieldsV1'] = {}) => ({ 'f:template': { 'f:spec': fields } })
const ours: ManagedFields = {
  manager: FIELD_MANAGER,
  operation: 'Apply',
  fieldsV1: {
    'f:spec': { 'f:replicas': {}, ...template({ 'f:containers': { 'k:{"name":"svcd"}': { 'f:image': {} } } }) },
  },
}
const count: ManagedFields = {
  manager: FIELD_MANAGER,
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
}
const kubectl: ManagedFields = {
  manager: 'kubectl-rollout',
  operation: 'Update',
  fieldsV1: {
    'f:metadata': { 'f:labels': {} },
    'f:spec': template({
      'f:nodeSelector': {},
      'f:containers': { 'k:{"name":"svcd"}': { 'f:image': {}, 'f:env': {} } },
    }),
  },
}

test('a template that the operator alone has set is left as it is', () => {
  expect(ownTemplate([ours, count])).toBeUndefined()
  expect(ownTemplate([])).toBeUndefined()
})

test('what others set in the template becomes ours, and the rest stays theirs', () => {
  expect(ownTemplate([count, kubectl, ours])).toEqual([
    {
      ...ours,
      fieldsV1: {
        'f:spec': {
          'f:replicas': {},
          ...template({
            'f:nodeSelector': {},
            'f:containers': { 'k:{"name":"svcd"}': { 'f:image': {}, 'f:env': {} } },
          }),
        },
      },
    },
    count,
    { ...kubectl, fieldsV1: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} } },
  ])
})

test('a template that somebody has replaced whole becomes ours as well', () => {
  const [first] = ownTemplate([kubectl]) ?? []
  expect(first).toMatchObject({ manager: FIELD_MANAGER, operation: 'Apply' })
  expect(first?.fieldsV1).toEqual({ 'f:spec': kubectl.fieldsV1?.['f:spec'] })
})
